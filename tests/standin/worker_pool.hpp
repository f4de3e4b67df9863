#pragma once
#pragma GCC system_header // part of the stand-in

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace standin
{

int envInt(const char* name, int otherwise);

/// Worker threads that live as long as the program; the launching thread works too.
struct Pool {
    std::vector<std::thread> threads;
    std::mutex m;
    std::condition_variable cv, done;
    std::function<void()> job;
    unsigned epoch = 0, running = 0;
    bool stop = false;
    Pool()
    {
        int n = envInt("STANDIN_WORKERS", int(std::thread::hardware_concurrency()));
#if defined(STANDIN_SINGLE_WORKER)
        n = 1;
#endif
        for (int i = 1; i < n; ++i)
            threads.emplace_back([this] {
                unsigned seen = 0;
                for (;;) {
                    std::function<void()> j;
                    {
                        std::unique_lock l(m);
                        cv.wait(l, [&] { return stop || epoch != seen; });
                        if (stop)
                            return;
                        seen = epoch;
                        j = job;
                    }
                    j();
                    {
                        std::lock_guard l(m);
                        if (--running == 0)
                            done.notify_one();
                    }
                }
            });
    }
    ~Pool()
    {
        {
            std::lock_guard l(m);
            stop = true;
        }
        cv.notify_all();
        for (auto& t : threads)
            t.join();
    }
    void run(std::function<void()> f, bool alone)
    {
        if (threads.empty() || alone) {
            f();
            return;
        }
        {
            std::lock_guard l(m);
            job = f;
            ++epoch;
            running = unsigned(threads.size());
        }
        cv.notify_all();
        f();
        std::unique_lock l(m);
        done.wait(l, [&] { return running == 0; });
    }
};

} // namespace standin
