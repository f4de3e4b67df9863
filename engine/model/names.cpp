#include "engine/model/names.hpp"

#include <charconv>

namespace tessera
{

Names::Names(std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        push_back(name);
    }
}

std::int32_t Names::number_of(std::string_view name)
{
    const auto next = static_cast<std::int32_t>(different_.size());
    const auto [found, is_new] = number_by_name_.try_emplace(std::string(name), next);
    if (is_new) {
        different_.emplace_back(name);
    }
    return found->second;
}

void Names::assign(std::size_t count, std::string_view name)
{
    number_.assign(count, number_of(name));
}

void Names::append(const Names& others, std::size_t times)
{
    std::vector<std::int32_t> of_other;
    for (const std::string& name : others.different_) {
        of_other.push_back(number_of(name));
    }
    for (std::size_t t = 0; t < times; ++t) {
        for (const std::int32_t k : others.number_) {
            number_.push_back(of_other[static_cast<std::size_t>(k)]);
        }
    }
}

Names Names::taken(std::span<const std::int32_t> places) const
{
    Names out = *this;
    out.number_.clear();
    for (const std::int32_t k : places) {
        out.number_.push_back(number_[static_cast<std::size_t>(k)]);
    }
    return out;
}

Residues::Residues(std::initializer_list<Residue> residues)
{
    for (const Residue& residue : residues) {
        push_back(residue);
    }
}

Residue Residues::operator[](std::size_t k) const
{
    const std::int32_t number = number_[k];
    return {name_[k],
            number >= 0 ? std::to_string(number) : text_[static_cast<std::size_t>(-1 - number)],
            first_atom_[k]};
}

void Residues::reserve(std::size_t residues)
{
    name_.reserve(residues);
    number_.reserve(residues);
    first_atom_.reserve(residues);
}

void Residues::push_back(const Residue& residue)
{
    const std::string& text = residue.number;
    std::int32_t number = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_plain = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                          number >= 0 && std::to_string(number) == text; // "007" is not
    if (!is_plain) {
        number = -1 - static_cast<std::int32_t>(text_.size());
        text_.push_back(text);
    }
    name_.push_back(residue.name);
    number_.push_back(number);
    first_atom_.push_back(residue.first_atom);
}

} // namespace tessera
