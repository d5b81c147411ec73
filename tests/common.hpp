// What nearly every test includes, compiled once for all of them.
