#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera
{

/// The whole content of a file, as bytes; gzip'ed files are unpacked (told by their first two
/// bytes, not by name). Throws UnfitFile (missing, folder, device, damaged gzip)
/// and FileError (may not be read), in words.
std::string read_file(const std::filesystem::path& path);

/// Throws InputError where the content is no text that readers here know: UTF-16, lines that end
/// with CR alone, bytes of zero. It says how to convert the file.
void require_text(const std::filesystem::path& path, const std::string& content);

/// read_file() of what must be text.
std::string read_text(const std::filesystem::path& path);

/// Text cut at line ends; CR before LF is dropped; a missing last newline is fine.
std::vector<std::string> split_lines(const std::string& text);

} // namespace tessera
