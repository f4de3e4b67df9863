#pragma once

namespace tessera
{

/// Arrays of a megabyte and more shall go back to the system when they are let go. The allocator by
/// itself learns from the first one of up to 32 MB to keep such memory, in pieces that the next
/// array may not fit: a tenth of the peak of a run.
void give_back_large_arrays();

} // namespace tessera
