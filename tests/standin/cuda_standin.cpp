// The scheduler of the stand-in: blocks on worker threads, their threads as fibers.
#include "tests/standin/cuda_standin.hpp"

#include "tests/standin/worker_pool.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define STANDIN_ASAN 1
#endif
// TSan builds: compile the kernels with -fsanitize=thread and this file with -DSTANDIN_TSAN only
// (the scheduler's own data is shared by fibers that TSan is told are unordered).
#if defined(STANDIN_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(STANDIN_UCONTEXT)
#include <ucontext.h>
#elif defined(__x86_64__)
// Leaves by jmp, not ret: the return-address predictor cannot follow a stack change.
asm(R"(
.text
.globl standin_switch
.type standin_switch,@function
standin_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  popq %rdx
  jmp *%rdx
.size standin_switch,.-standin_switch
)");
extern "C" void standin_switch(void** saveSp, void* loadSp);
#else
#error "no context switch for this machine: define STANDIN_UCONTEXT"
#endif

namespace standin
{
int envInt(const char* n, int d)
{
    const char* s = std::getenv(n);
    return s ? std::atoi(s) : d;
}

namespace
{
constexpr size_t kStack = 128 * 1024, kMaxShared = 227 * 1024;

std::atomic<unsigned> currentSeed{unsigned(envInt("STANDIN_SEED", 0))};
unsigned seed()
{
    return currentSeed.load(std::memory_order_relaxed);
}

enum class State { idle, running, ready, barrier, warp };
struct Fiber {
#if defined(STANDIN_UCONTEXT)
    ucontext_t uc;
#else
    void* sp = nullptr;
#endif
    char* stack = nullptr;
    State state = State::idle;
    unsigned linear = 0;
    uint3 tid{};
    std::source_location where{};
    int countResult = 0, andResult = 0, orResult = 0;
    const void* asanBottom = nullptr;
    size_t asanSize = 0;
    void* asanFake = nullptr;
    void* tsan = nullptr;
};
struct Rendezvous {
    unsigned mask = 0, arrived = 0;
    Op op{};
    Finish finish = nullptr;
    void* ctx = nullptr;
    void* ptr[32];
};
struct Warp {
    unsigned exists = 0, exited = 0, open = 0; /* bit i: rv[i] collects arrivals */
    Rendezvous rv[32];
    Fiber* lane[32];
};

struct Worker {
    Fiber main;
    std::vector<std::unique_ptr<Fiber>> all;
    std::vector<Fiber*> freeFibers, barrierWait;
    std::array<Fiber*, 2048> ready;
    unsigned head = 0, tail = 0; // ring: a fiber is in it once at most
    unsigned nready() const { return tail - head; }
    Fiber* cur = nullptr;
    Call call{};
    unsigned nthreads = 0, live = 0, next = 0, predCount = 0, predAnd = 0, predOr = 0;
    std::vector<unsigned> order;
    std::vector<Warp> warps;
    std::source_location barrierAt{};
    std::vector<std::byte> shared;
    std::mt19937 rng;
    Stats st{};
    char tsanBarrier[2]{};
    unsigned gen = 0;
};
thread_local Worker* tlw = nullptr;
struct WorkerOwner {
    std::unique_ptr<Worker> w;
};
thread_local WorkerOwner owner;
std::atomic<unsigned long long> gThreads, gSwitches, gCollectives, gBarriers;

void fiberMain();

[[gnu::noinline]] void switchTo(Worker& w, Fiber* to, bool dying = false)
{
    Fiber* from = w.cur;
    if (from == to)
        return;
    ++w.st.switches;
    w.cur = to;
#if defined(STANDIN_ASAN)
    __sanitizer_start_switch_fiber(dying ? nullptr : &from->asanFake, to->asanBottom, to->asanSize);
#endif
#if defined(STANDIN_TSAN)
    __tsan_switch_to_fiber(to->tsan, 1 /* no synchronisation: threads of a block are unordered */);
#endif
    (void)dying;
#if defined(STANDIN_UCONTEXT)
    swapcontext(&from->uc, &to->uc);
#else
    standin_switch(&from->sp, to->sp);
#endif
#if defined(STANDIN_ASAN)
    __sanitizer_finish_switch_fiber(from->asanFake, nullptr, nullptr);
#endif
}

Fiber* newFiber(Worker& w)
{
    if (!w.freeFibers.empty()) {
        Fiber* f = w.freeFibers.back();
        w.freeFibers.pop_back();
        return f;
    }
    auto f = std::make_unique<Fiber>();
    char* m = static_cast<char*>(mmap(nullptr, kStack + 4096, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (m == MAP_FAILED)
        fail("no memory for a fiber stack");
    mprotect(m, 4096, PROT_NONE); // overflow faults
    f->stack = m + 4096;
    f->asanBottom = f->stack;
    f->asanSize = kStack;
#if defined(STANDIN_TSAN)
    f->tsan = __tsan_create_fiber(0);
#endif
#if defined(STANDIN_UCONTEXT)
    getcontext(&f->uc);
    f->uc.uc_stack.ss_sp = f->stack;
    f->uc.uc_stack.ss_size = kStack;
    f->uc.uc_link = nullptr;
    makecontext(&f->uc, fiberMain, 0);
#else
    auto** top =
        reinterpret_cast<void**>(f->stack + kStack -
                                 w.all.size() * 832 % 16384 / 64 *
                                     64); // staggered: tops at one page offset would share L1 sets
    *--top = nullptr; // fake return address of fiberMain: keeps the ABI alignment
    *--top = reinterpret_cast<void*>(&fiberMain); // popped by ret
    for (int i = 0; i < 6; ++i)
        *--top = nullptr;
    f->sp = top;
#endif
    w.all.push_back(std::move(f));
    return w.all.back().get();
}

const char* name(State s)
{
    switch (s) {
    case State::idle:
        return "idle";
    case State::running:
        return "running";
    case State::ready:
        return "ready";
    case State::barrier:
        return "__syncthreads";
    case State::warp:
        return "warp collective";
    }
    return "?";
}

[[noreturn]] void deadlock(Worker& w)
{
    std::fprintf(stderr, "standin: deadlock in block (%u,%u,%u): every live thread waits\n",
                 blockIdx.x, blockIdx.y, blockIdx.z);
    int shown = 0;
    for (auto& f : w.all)
        if (f->state == State::barrier || f->state == State::warp) {
            if (shown++ == 8) {
                std::fprintf(stderr, "  ...\n");
                break;
            }
            std::fprintf(stderr, "  thread (%u,%u,%u) in %s", f->tid.x, f->tid.y, f->tid.z,
                         name(f->state));
            if (f->state == State::barrier)
                std::fprintf(stderr, " at %s:%u", f->where.file_name(), f->where.line());
            else
                for (int i = 0; i < 32; ++i)
                    if (auto& r = w.warps[f->linear / 32].rv[i];
                        (w.warps[f->linear / 32].open >> i & 1) &&
                        (r.arrived >> (f->linear % 32) & 1))
                        std::fprintf(stderr, " mask %08x arrived %08x op %d", r.mask, r.arrived,
                                     int(r.op));
            std::fprintf(stderr, "\n");
        }
    std::abort();
}

// The next fiber to run: a thread not yet started, or one that became ready. Null: none.
Fiber* pick(Worker& w)
{
    unsigned nready = w.nready();
    bool start = w.next < w.nthreads;
    if (start && nready && seed())
        start = w.rng() & 1u;
    if (start)
        return newFiber(w);
    if (!nready)
        return nullptr;
    if (seed())
        std::swap(w.ready[w.head & 2047], w.ready[(w.head + w.rng() % nready) & 2047]);
    return w.ready[w.head++ & 2047];
}

void restore(Worker& w, Fiber* me)
{
    me->state = State::running;
    threadIdx = me->tid;
    (void)w;
}

void block(Worker& w, State why)
{
    Fiber* me = w.cur;
    me->state = why;
    Fiber* n = pick(w);
    if (!n)
        deadlock(w);
    switchTo(w, n);
    restore(w, me);
}

void wake(Worker& w, Fiber* f)
{
    f->state = State::ready;
    w.ready[w.tail++ & 2047] = f;
}

void releaseBarrier(Worker& w, Fiber* self)
{
    for (Fiber* f : w.barrierWait) {
        f->countResult = int(w.predCount);
        f->andResult = int(w.predAnd);
        f->orResult = int(w.predOr);
        wake(w, f);
    }
    if (self) {
        self->countResult = int(w.predCount);
        self->andResult = int(w.predAnd);
        self->orResult = int(w.predOr);
    }
    w.barrierWait.clear();
    w.predCount = 0;
    w.predAnd = 1;
    w.predOr = 0;
    ++w.gen;
}

void completeIfFull(Worker& w, Warp& wp, Rendezvous& r, Fiber* self)
{
    unsigned need = r.mask & wp.exists & ~wp.exited;
    if ((r.arrived & need) != need || !r.arrived)
        return;
    if (r.finish)
        r.finish(r.ptr, r.arrived, r.ctx);
    wp.open &= ~(1u << (&r - wp.rv));
    for (unsigned m = r.arrived; m; m &= m - 1) {
        Fiber* f = wp.lane[std::countr_zero(m)];
        if (f != self)
            wake(w, f);
    }
}

void runThread(Worker& w)
{
    Fiber* me = w.cur;
    unsigned l = w.order.empty() ? w.next : w.order[w.next];
    ++w.next;
    ++w.st.threads;
    me->linear = l;
    me->tid = {l % blockDim.x, l / blockDim.x % blockDim.y, l / (blockDim.x * blockDim.y)};
    w.warps[l / 32].lane[l % 32] = me;
    restore(w, me);
#if defined(STANDIN_TSAN)
    __tsan_acquire(&w.main);
#endif
    w.call.fn(w.call.ctx);
#if defined(STANDIN_TSAN)
    __tsan_release(&w.main);
#endif
    me->state = State::idle;
    Warp& wp = w.warps[l / 32];
    wp.exited |= 1u << (l % 32);
    --w.live;
    for (unsigned m = wp.open; m; m &= m - 1)
        completeIfFull(w, wp, wp.rv[std::countr_zero(m)], nullptr);
    if (w.live && w.barrierWait.size() == w.live)
        releaseBarrier(w, nullptr);
}

void fiberMain()
{
    Worker& w = *tlw;
#if defined(STANDIN_ASAN)
    if (w.main.asanBottom == nullptr)
        __sanitizer_finish_switch_fiber(nullptr, &w.main.asanBottom, &w.main.asanSize);
    else
        __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    for (;;) {
        runThread(w);
#if !defined(STANDIN_TSAN) // under TSan each CUDA thread keeps a fiber of its own, so that races
                           // between threads show
        unsigned nready = w.nready();
        if (w.next < w.nthreads && !(seed() && nready))
            continue; // next thread on this same fiber: no switch at all
#endif
        Fiber* me = w.cur;
        Fiber* n = pick(w);
#if !defined(STANDIN_TSAN)
        if (n && n->state == State::idle && w.next < w.nthreads) {
            w.freeFibers.push_back(n);
            continue;
        }
#endif
        if (!n) {
            if (w.live)
                deadlock(w);
            n = &w.main;
        }
#if defined(STANDIN_TSAN)
#endif
        w.freeFibers.push_back(me);
        switchTo(w, n);
    }
}

Worker& worker()
{
    if (!tlw) {
        owner.w = std::make_unique<Worker>();
        tlw = owner.w.get();
        tlw->cur = &tlw->main;
        tlw->shared.resize(kMaxShared);
        tlw->all.reserve(1100);
        tlw->freeFibers.reserve(1100);
        tlw->barrierWait.reserve(1100);
        tlw->order.reserve(1024);
        tlw->warps.reserve(32); // no growth inside a fiber
    }
#if defined(STANDIN_TSAN)
    tlw->main.tsan = __tsan_get_current_fiber();
#endif
    return *tlw;
}

void runBlock(Worker& w, dim3 grid, dim3 blk, unsigned b, Call call)
{
    gridDim = grid;
    blockDim = blk;
    blockIdx = {b % grid.x, b / grid.x % grid.y, b / (grid.x * grid.y)};
    w.call = call;
    w.nthreads = w.live = blk.x * blk.y * blk.z;
    w.next = 0;
    w.predCount = 0;
    w.predAnd = 1;
    w.predOr = 0;
    w.warps.resize((w.nthreads + 31) / 32);
    for (unsigned i = 0; i < w.warps.size(); ++i) {
        unsigned n = std::min(32u, w.nthreads - 32 * i);
        w.warps[i].exists = n == 32 ? ~0u : (1u << n) - 1;
        w.warps[i].exited = 0;
        w.warps[i].open = 0;
    }
    w.order.clear(); // the seed may have been set back
    if (seed()) {
        w.order.resize(w.nthreads);
        for (unsigned i = 0; i < w.nthreads; ++i)
            w.order[i] = i;
        w.rng.seed(seed() * 7919u + b); // the order depends on seed and block, not on the worker
        std::shuffle(w.order.begin(), w.order.end(), w.rng);
    }
#if defined(STANDIN_TSAN)
    __tsan_release(&w.main); // what happened before this block is visible to its threads (acquired
                             // in runThread's fiber start)
#endif
    Fiber* f = newFiber(w);
    switchTo(w, f);
#if defined(STANDIN_TSAN)
    __tsan_acquire(&w.main);
#endif
    if (w.live)
        fail("internal: block ended with %u threads live", w.live);
}

Pool& pool()
{
    static Pool p;
    return p;
}
} // namespace

void fail(const char* fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    std::fprintf(stderr, "standin: ");
    std::vfprintf(stderr, fmt, a);
    std::fprintf(stderr, "\n");
    va_end(a);
    std::abort();
}
unsigned laneId()
{
    return tlw->cur->linear % 32;
}
unsigned liveLanes()
{
    Warp& w = tlw->warps[tlw->cur->linear / 32];
    return w.exists & ~w.exited;
}
void* dynamicShared()
{
    return tlw->shared.data();
}

[[gnu::noinline]] void syncthreads(const std::source_location& where, int pred, int* count,
                                   int* andAll, int* orAny)
{
    Worker& w = *tlw;
    Fiber* me = w.cur;
    ++w.st.barriers;
#if defined(STANDIN_TSAN)
    char* tag = &w.tsanBarrier[w.gen & 1];
    __tsan_release(tag);
#endif
    if (w.barrierWait.empty())
        w.barrierAt = where;
    else if (w.barrierAt.line() != where.line() || w.barrierAt.column() != where.column() ||
             (w.barrierAt.file_name() != where.file_name() &&
              std::strcmp(w.barrierAt.file_name(), where.file_name()) != 0))
        fail("__syncthreads reached from two places by block (%u,%u,%u): %s:%u and %s:%u",
             blockIdx.x, blockIdx.y, blockIdx.z, w.barrierAt.file_name(), w.barrierAt.line(),
             where.file_name(), where.line());
    me->where = where;
    w.predCount += pred ? 1 : 0;
    w.predAnd &= pred ? 1u : 0u;
    w.predOr |= pred ? 1u : 0u;
    if (w.barrierWait.size() + 1 == w.live)
        releaseBarrier(w, me);
    else {
        w.barrierWait.push_back(me);
        block(w, State::barrier);
    }
#if defined(STANDIN_TSAN)
    __tsan_acquire(tag);
#endif
    if (count)
        *count = me->countResult;
    if (andAll)
        *andAll = me->andResult;
    if (orAny)
        *orAny = me->orResult;
}

[[gnu::noinline]] void collective(unsigned mask, Op op, void* mine, Finish finish, void* ctx)
{
    Worker& w = *tlw;
    Fiber* me = w.cur;
    ++w.st.collectives;
    unsigned lane = me->linear % 32, bit = 1u << lane;
    Warp& wp = w.warps[me->linear / 32];
    if (!(mask & bit))
        fail("lane %u calls a collective with mask %08x that leaves it out", lane, mask);
    Rendezvous* r = nullptr;
    for (unsigned m = wp.open; m; m &= m - 1) {
        Rendezvous& o = wp.rv[std::countr_zero(m)];
        if (o.mask == mask && !(o.arrived & bit)) {
            r = &o;
            break;
        }
    }
    if (!r) {
        int i = std::countr_one(wp.open);
        r = &wp.rv[i];
        wp.open |= 1u << i;
        r->mask = mask;
        r->arrived = 0;
        r->op = op;
        r->finish = finish;
        r->ctx = ctx;
    } else if (r->op != op || r->finish != finish)
        fail("warp collectives differ under one mask %08x (op %d and %d)", mask, int(r->op),
             int(op));
#if defined(STANDIN_TSAN)
    if (op == Op::syncwarp || op == Op::mma)
        __tsan_release(&r->mask); // shuffles and votes order no memory
#endif
    r->arrived |= bit;
    r->ptr[lane] = mine;
    unsigned need = mask & wp.exists & ~wp.exited;
    if ((r->arrived & need) == need)
        completeIfFull(w, wp, *r, me);
    else
        block(w, State::warp);
#if defined(STANDIN_TSAN)
    if (op == Op::syncwarp || op == Op::mma)
        __tsan_acquire(&r->mask);
#endif
}

void runGrid(dim3 grid, dim3 blk, size_t, Call call)
{
    unsigned n = grid.x * grid.y * grid.z;
    std::vector<unsigned> order;
    if (seed()) {
        order.resize(n);
        for (unsigned i = 0; i < n; ++i)
            order[i] = i;
        std::mt19937 g(seed());
        std::shuffle(order.begin(), order.end(), g);
    }
    std::atomic<unsigned> nextBlock{0};
    unsigned chunk = std::max(1u, n / 256);
    pool().run(
        [&] {
            Worker& w = worker();
            for (;;) {
                unsigned b = nextBlock.fetch_add(chunk);
                if (b >= n)
                    break;
                for (unsigned i = b; i < std::min(n, b + chunk); ++i)
                    runBlock(w, grid, blk, order.empty() ? i : order[i], call);
            }
            gThreads += w.st.threads;
            gSwitches += w.st.switches;
            gCollectives += w.st.collectives;
            gBarriers += w.st.barriers;
            w.st = {};
        },
        n < 2);
}
void set_seed(unsigned value)
{
    currentSeed = value;
}
Stats takeStats()
{
    return {gThreads.exchange(0), gSwitches.exchange(0), gCollectives.exchange(0),
            gBarriers.exchange(0)};
}

} // namespace standin
