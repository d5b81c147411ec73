"""The fenced blocks of a Markdown document, with the marks in HTML comments directly before a block:

    <!-- not run: REASON -->   the block is not executed
    <!-- fragment -->          C++ that is not complete: not compiled
    <!-- file: PATH -->        the block is an exact copy of this file of the project
    <!-- before: COMMAND -->   run before the block's own commands; several are run in order
"""

import dataclasses
import re

FENCE = re.compile(r"^```(\w*)\s*$")
COMMENT = re.compile(r"^<!--\s*(not run|fragment|file|before)(?::\s*(.*?))?\s*-->\s*$")


class Malformed(Exception):
    """The document does not follow the rules above."""


@dataclasses.dataclass
class Block:
    line: int  # number of its first line of text
    language: str
    text: str
    marks: list  # (word, argument or None)

    def mark(self, word):
        """Returns the mark's argument ("" if it has none), or None if there is no such mark."""
        found = [argument or "" for name, argument in self.marks if name == word]
        return found[0] if found else None

    def is_skipped(self):
        return self.mark("not run") is not None or self.mark("fragment") is not None


@dataclasses.dataclass
class Command:
    line: int
    text: str
    shown: list  # lines of output shown; may be empty


def marks_before(lines, fence, name):
    """Returns the marks directly above line `fence`, from top to bottom; blank lines may be between them."""
    marks = []
    at = fence - 1
    while at >= 0 and (not lines[at].strip() or COMMENT.match(lines[at])):
        comment = COMMENT.match(lines[at])
        if comment:
            word, argument = comment.groups()
            if word != "fragment" and not argument:
                raise Malformed(f"{name}:{at + 1}: '{word}:' needs a text")
            marks.insert(0, (word, argument))
        at -= 1
    return marks


def blocks_of(text, name):
    """Returns all fenced blocks, in order."""
    lines = text.split("\n")
    blocks = []
    begin = None
    marks = 0
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        marks += begin is None and COMMENT.match(line) is not None
        if begin is None and fence:
            begin, language = number, fence.group(1)
        elif begin is not None and line.rstrip() == "```":
            body = "\n".join(lines[begin + 1 : number]) + "\n"
            blocks.append(Block(begin + 2, language, body, marks_before(lines, begin, name)))
            begin = None
    if begin is not None:
        raise Malformed(f"{name}:{begin + 1}: the block has no end")
    if marks != sum(len(block.marks) for block in blocks):
        raise Malformed(f"{name}: a mark is not followed by a block")
    return blocks


def commands_of(block, name):
    """Returns the commands (lines that begin with "$ "), each with the output shown below it. A line that
    ends with a backslash continues on the next line."""
    commands = []
    unfinished = False
    for number, line in enumerate(block.text.rstrip("\n").split("\n"), block.line):
        if unfinished:
            commands[-1].text += "\n" + line.removeprefix("> ")
        elif line.startswith("$ "):
            commands.append(Command(number, line[2:], []))
        elif not commands:
            raise Malformed(f"{name}:{number}: output without a command")
        else:
            commands[-1].shown.append(line.rstrip())
        unfinished = line.endswith("\\") and not commands[-1].shown
    return commands


def matches(shown, printed):
    """Whether the shown lines match the printed ones. "..." matches any text within a line, and alone on a
    line any number of lines."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    text = "".join(line.rstrip() + "\n" for line in printed)
    return re.fullmatch(pattern, text) is not None
