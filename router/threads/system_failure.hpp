// What a message says if the system starts no more threads or processes, or opens no more files.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace toroid {

/// "cannot start WHAT: REASON", for a thread or process. If the limit of processes and threads is
/// reached, the text says how to raise it.
std::string start_failure(std::string_view what, const std::error_code& reason);

/// "cannot open WHAT: REASON", and the remedy for the limit of open files.
std::string open_failure(std::string_view what, const std::error_code& reason);
/// If the limit of open files is reached, how to raise it, as the end of a message; otherwise
/// empty.
std::string_view open_files_remedy(const std::error_code& reason);
/// The error in errno.
std::error_code last_error();

}  // namespace toroid
