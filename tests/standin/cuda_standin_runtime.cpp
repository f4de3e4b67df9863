// The runtime API of the stand-in: memory, lazy streams, events, graphs.
#include "tests/standin/cuda_standin.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

namespace standin
{
namespace
{
constexpr size_t kMaxShared = 227 * 1024;
bool lazyStreams()
{
    static const bool lazy = [] {
        const char* s = std::getenv("STANDIN_STREAMS");
        return !(s && std::strcmp(s, "eager") == 0);
    }();
    return lazy;
}
} // namespace
struct OpRec {
    std::function<void()> run;
    Event* wait = nullptr;
    unsigned long long waitVersion = 0;
};
struct Stream {
    std::deque<OpRec> q;
    unsigned flags = 0;
    Graph* capture = nullptr;
};
struct Event {
    Stream* on = nullptr;
    unsigned long long recorded = 0, done = 0;
    Graph* captured = nullptr;
};
struct Graph {
    std::vector<std::function<void()>> ops;
    std::set<Stream*> members;
};
namespace
{
std::recursive_mutex api;
std::set<Stream*>& streams()
{
    static std::set<Stream*> s;
    return s;
}
std::set<void*> pinned;
cudaError_t lastError = cudaSuccess;
void runOne(Stream* s)
{
    OpRec r = std::move(s->q.front());
    s->q.pop_front();
    if (r.wait)
        while (r.wait->done < r.waitVersion) {
            if (!r.wait->on || r.wait->on->q.empty())
                fail("stream waits for an event that never completes");
            runOne(r.wait->on);
        }
    if (r.run)
        r.run();
}
void drain(Stream* s)
{
    while (!s->q.empty())
        runOne(s);
}
void drainAll(bool blockingOnly)
{
    for (Stream* s : streams())
        if (!(blockingOnly && (s->flags & cudaStreamNonBlocking)))
            drain(s);
}
cudaError_t push(Stream* s, OpRec r)
{
    std::lock_guard l(api);
    if (s && s->capture) {
        if (!r.wait)
            s->capture->ops.push_back(std::move(r.run));
        return cudaSuccess;
    }
    if (!s) {
        drainAll(true);
        if (r.wait)
            while (r.wait->done < r.waitVersion)
                runOne(r.wait->on);
        if (r.run)
            r.run();
        return cudaSuccess;
    } // legacy default stream
    s->q.push_back(std::move(r));
    if (!lazyStreams())
        drain(s);
    return cudaSuccess;
}
} // namespace
cudaError_t enqueueKernel(dim3 g, dim3 b, size_t sh, cudaStream_t s, std::function<void()> run)
{
    unsigned long long t = 1ull * b.x * b.y * b.z;
    if (!t || t > 1024 || b.z > 64 || !g.x || !g.y || !g.z || g.y > 65535 || g.z > 65535 ||
        sh > kMaxShared)
        return lastError = cudaErrorInvalidConfiguration;
    return push(s, {std::move(run)});
}
} // namespace standin
using namespace standin;
const char* cudaGetErrorName(cudaError_t e)
{
    return e == cudaSuccess                     ? "cudaSuccess"
           : e == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration"
                                                : "cudaError";
}
cudaError_t cudaGetLastError()
{
    return std::exchange(lastError, cudaSuccess);
}
cudaError_t cudaGetDeviceCount(int* n)
{
    *n = 1;
    return cudaSuccess;
}
cudaError_t standinMalloc(void** p, size_t n)
{
    *p = std::aligned_alloc(256, (n + 255) / 256 * 256);
    if (!*p)
        return cudaErrorMemoryAllocation;
    std::memset(*p, 0xFF, n);
    return cudaSuccess;
} // NaN-filled
cudaError_t cudaFree(void* p)
{
    std::lock_guard l(api);
    drainAll(false);
    std::free(p);
    return cudaSuccess;
}
cudaError_t standinMallocHost(void** p, size_t n)
{
    std::lock_guard l(api);
    *p = std::aligned_alloc(256, (n + 255) / 256 * 256);
    pinned.insert(*p);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p)
{
    std::lock_guard l(api);
    drainAll(false);
    pinned.erase(p);
    std::free(p);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* d, const void* s, size_t n, cudaMemcpyKind, cudaStream_t st)
{
    return push(st, {[=] { std::memcpy(d, s, n); }});
}
cudaError_t cudaMemcpy(void* d, const void* s, size_t n, cudaMemcpyKind k)
{
    return cudaMemcpyAsync(d, s, n, k, nullptr);
}
cudaError_t cudaMemsetAsync(void* d, int v, size_t n, cudaStream_t st)
{
    return push(st, {[=] { std::memset(d, v, n); }});
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned f)
{
    std::lock_guard l(api);
    *s = new Stream;
    (*s)->flags = f;
    streams().insert(*s);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    std::lock_guard l(api);
    drain(s);
    streams().erase(s);
    delete s;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    std::lock_guard l(api);
    if (s)
        drain(s);
    else
        drainAll(true);
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize()
{
    std::lock_guard l(api);
    drainAll(false);
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned)
{
    *e = new Event;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    std::lock_guard l(api);
    drainAll(false);
    delete e;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    std::lock_guard l(api);
    if (s && s->capture) {
        e->captured = s->capture;
        return cudaSuccess;
    }
    e->captured = nullptr;
    e->on = s;
    auto v = ++e->recorded;
    return push(s, {[=] { e->done = v; }});
}
cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    std::lock_guard l(api);
    while (e->done < e->recorded)
        runOne(e->on);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e)
{
    std::lock_guard l(api);
    if (e->done < e->recorded) {
        runOne(e->on);
        return cudaErrorNotReady;
    }
    return cudaSuccess;
} // each poll makes some progress
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
    std::lock_guard l(api);
    if (e->captured) {
        s->capture = e->captured;
        e->captured->members.insert(s);
        return cudaSuccess;
    } // fork/join into the capture
    return e->recorded ? push(s, {nullptr, e, e->recorded}) : cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t s, int)
{
    std::lock_guard l(api);
    s->capture = new Graph;
    s->capture->members.insert(s);
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* g)
{
    std::lock_guard l(api);
    *g = s->capture;
    for (Stream* m : (*g)->members)
        m->capture = nullptr;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* x, cudaGraph_t g, unsigned long long)
{
    *x = g;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s)
{
    return push(s, {[x] {
                    for (auto& f : x->ops)
                        f();
                }});
} // capture order is a valid order
