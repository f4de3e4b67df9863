#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera
{

/// Walks a container by numbers.
template <class Container>
class ByNumber {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = typename Container::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = decltype(std::declval<const Container&>()[0]);
    using pointer = void;

    ByNumber() = default;
    ByNumber(const Container& of, std::size_t at) : of_(&of), at_(at) {}
    reference operator*() const { return (*of_)[at_]; }
    ByNumber& operator++()
    {
        ++at_;
        return *this;
    }
    ByNumber operator++(int)
    {
        ByNumber old = *this;
        ++at_;
        return old;
    }
    friend bool operator==(const ByNumber& a, const ByNumber& b) { return a.at_ == b.at_; }

private:
    const Container* of_ = nullptr;
    std::size_t at_ = 0;
};

/// A list of strings of which few differ, such as names of atoms: four bytes each.
class Names {
public:
    using value_type = std::string;
    using const_reference = const std::string&;
    using const_iterator = ByNumber<Names>;
    using iterator = const_iterator;

    Names() = default;
    Names(std::initializer_list<std::string_view> names);

    [[nodiscard]] std::size_t size() const { return number_.size(); }
    [[nodiscard]] bool empty() const { return number_.empty(); }
    const std::string& operator[](std::size_t k) const
    {
        return different_[static_cast<std::size_t>(number_[k])];
    }
    [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
    [[nodiscard]] const_iterator end() const { return {*this, size()}; }

    [[nodiscard]] std::size_t capacity() const { return number_.capacity(); }
    void reserve(std::size_t names) { number_.reserve(names); }
    void push_back(std::string_view name) { number_.push_back(number_of(name)); }
    void set(std::size_t k, std::string_view name) { number_[k] = number_of(name); }
    void assign(std::size_t count, std::string_view name);
    /// Adds all of another list, so many times.
    void append(const Names& others, std::size_t times);
    /// The names of these places, in their order.
    [[nodiscard]] Names taken(std::span<const std::int32_t> places) const;

private:
    std::int32_t number_of(std::string_view name);

    std::vector<std::string> different_;
    std::unordered_map<std::string, std::int32_t> number_by_name_;
    std::vector<std::int32_t> number_; ///< of `different_`
};

struct Residue {
    std::string name;
    std::string number; ///< as the file has it, insertion code included ("52A")
    std::int32_t first_atom = 0;
};

/// A list of residues in twelve bytes each: names as in Names, numbers as integers where they are
/// written like one.
class Residues {
public:
    using value_type = Residue;
    using const_reference = Residue;
    using const_iterator = ByNumber<Residues>;
    using iterator = const_iterator;

    Residues() = default;
    Residues(std::initializer_list<Residue> residues);

    [[nodiscard]] std::size_t size() const { return first_atom_.size(); }
    [[nodiscard]] bool empty() const { return first_atom_.empty(); }
    Residue operator[](std::size_t k) const;
    [[nodiscard]] const std::string& name(std::size_t k) const { return name_[k]; }
    [[nodiscard]] Residue back() const { return (*this)[size() - 1]; }
    [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
    [[nodiscard]] const_iterator end() const { return {*this, size()}; }

    [[nodiscard]] std::size_t capacity() const { return first_atom_.capacity(); }
    void reserve(std::size_t residues);
    void push_back(const Residue& residue);

private:
    Names name_;
    std::vector<std::int32_t> number_; ///< -1 - k: the k-th of `text_`
    std::vector<std::string> text_;
    std::vector<std::int32_t> first_atom_;
};

} // namespace tessera
