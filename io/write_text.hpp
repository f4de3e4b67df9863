#pragma once

#include "engine/model/coordinates.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera
{

/// Writes a file as a whole. Throws FileError with the cause when any byte could not be written.
void write_text(const std::string& path, std::string_view text);

/// A title that fits one line; a name for the program where there is none.
std::string title_line(const std::string& title);

/// A number right-aligned in exactly `width` columns with `decimals` decimals. Throws InputError
/// naming quantity, atom (from 0 here, from 1 in the text) and value when it does not fit or is
/// not finite.
std::string fitting(double value, std::size_t width, int decimals, std::string_view quantity,
                    std::size_t index, std::string_view of = "atom");

/// The name itself when it is at most `width` long; throws InputError otherwise.
const std::string& fitting(const std::string& name, std::size_t width, std::string_view quantity,
                           std::size_t atom);

/// Names and numbers of a frame's atoms for the writers; stand-ins where the frame has none.
class AtomLabels {
public:
    explicit AtomLabels(const Coordinates& frame) : frame_(frame) {}

    [[nodiscard]] const std::string& atom_name(std::size_t atom) const;
    [[nodiscard]] const std::string& residue_name(std::size_t atom) const;
    /// The digits of the residue's number ("52A" is 52); 1 where there is none.
    [[nodiscard]] long residue_number(std::size_t atom) const;

private:
    const Coordinates& frame_;
};

} // namespace tessera
