#pragma once

#include <functional>
#include <string>

namespace tessera::h5
{

/// HDF5 itself reads out of bounds where a file is damaged (1.10.8: names in a local heap, messages
/// of a header), which can end the process. So whatever is done to a file that we have not just
/// written is done once in a forked child first.
///
/// Throws UnfitFile, which names `path`, where the child dies of `use`, works at it for longer than
/// a file of its size takes (10 s of processor time and more), or asks for memory beyond what such
/// a file needs (2 GiB and more); and where somebody kills it (SIGKILL, which says nothing of the
/// file: often memory ran out). Where `use` throws there,
/// it is called here too, and throws here. Where it returns, the same calls are safe here: the
/// child starts from a copy of this process. `use` must change nothing outside the process and
/// start no threads; it may run while other threads of this process wait, and below MPI and CUDA,
/// which the child does not touch. Where the system gives no child, `use` is not called.
void rehearse(const std::string& path, const std::function<void()>& use);

} // namespace tessera::h5
