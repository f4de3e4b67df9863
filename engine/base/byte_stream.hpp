#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera
{

/// Appends a value's bytes.
template <class T>
void append(std::vector<std::byte>& to, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t end = to.size();
    to.resize(end + sizeof(T));
    std::memcpy(to.data() + end, &value, sizeof(T));
}

inline std::vector<std::byte> bytes_of(const std::string& text)
{
    std::vector<std::byte> out(text.size());
    std::memcpy(out.data(), text.data(), text.size());
    return out;
}

inline std::string text_of(const std::vector<std::byte>& bytes)
{
    std::string out(bytes.size(), '\0');
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

/// Takes values from bytes in the order in which they were appended.
class ByteReader {
public:
    explicit ByteReader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
    template <class T>
    T take()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, bytes_.data() + next_, sizeof(T));
        next_ += sizeof(T);
        return value;
    }

    [[nodiscard]] bool is_at_end() const { return next_ == bytes_.size(); }

private:
    const std::vector<std::byte>& bytes_;
    std::size_t next_ = 0;
};

} // namespace tessera
