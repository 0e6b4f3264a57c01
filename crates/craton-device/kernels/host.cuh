// The emulated device: with `-include` before a kernel file, it lets a C++ compiler build the file for the host's processor.
//
//     c++ -O2 -std=c++17 -shared -fPIC -ffp-contract=off -U_FORTIFY_SOURCE -x c++ -include host.cuh FILE.cu
//
// Blocks run one after the other, or in turn if the launch requires them to be co-resident. The threads of a block are fibres, which switch at
// barriers and where they wait for another block (`CRATON_PAUSE`). The emulation is stricter than a GPU: it fails at a barrier that not
// every thread reaches, if threads are at different barriers, at writes beyond dynamic shared memory, and at traps. Shared memory
// is initialised to NaN, and every other block runs its threads in reverse order, to expose values that are read too early.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#define CRATON_HOST 1

// ---- CUDA keywords and types

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

#define CRATON_VECTORS(T, name, align2, align4)                                                                    \
    struct name##2 { alignas(align2) T x; T y; };                                                                   \
    struct name##3 { T x, y, z; };                                                                                  \
    struct name##4 { alignas(align4) T x; T y, z, w; };                                                             \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                               \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                       \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CRATON_VECTORS(float, float, 8, 16)
CRATON_VECTORS(double, double, 16, 16)
CRATON_VECTORS(int, int, 8, 16)
CRATON_VECTORS(unsigned int, uint, 8, 16)
CRATON_VECTORS(short, short, 4, 8)
CRATON_VECTORS(unsigned short, ushort, 4, 8)
CRATON_VECTORS(signed char, char, 2, 4)
CRATON_VECTORS(unsigned char, uchar, 2, 4)
CRATON_VECTORS(long long, longlong, 16, 16)
CRATON_VECTORS(unsigned long long, ulonglong, 16, 16)

struct dim3 {
    unsigned int x = 1, y = 1, z = 1;
    dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};

// ---- fibres

namespace craton_host {
namespace {

constexpr unsigned WARP = 32;
constexpr size_t STACK_BYTES = 256 << 10;
constexpr size_t PAGE_BYTES = 64 << 10;
constexpr size_t GUARD_BYTES = 4096;
constexpr unsigned char UNSET = 0xff;

enum class State { Ready, Paused, AtBarrier, AtWarpBarrier, Ended };

// A thread of a block.
struct Fibre {
    char* stack = nullptr;
    ucontext_t start;
    jmp_buf resume;
    bool begun = false;
    State state = State::Ready;
    uint3 thread{};
    unsigned rank = 0;
    unsigned mask = 0;          // of the warp barrier at which it waits
    const char* file = "";      // of the barrier at which it waits
    int line = 0;
    alignas(16) unsigned char slot[16];  // value that the other threads of the warp or block can read

    // `guarded`: protected memory lies below the stack, so that an overflow faults. A system allows only some ten thousand such regions.
    explicit Fibre(bool guarded) {
        void* memory = mmap(nullptr, PAGE_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        if (guarded) mprotect(memory, PAGE_BYTES, PROT_NONE);
        stack = static_cast<char*>(memory);
    }
    ~Fibre() { if (stack) munmap(stack, PAGE_BYTES + STACK_BYTES); }
    Fibre(const Fibre&) = delete;
};

// A block and the fibres that run its threads.
struct Team {
    std::vector<std::unique_ptr<Fibre>> fibres;
    std::vector<unsigned char> shared;
    Fibre* self = nullptr;
    unsigned threads = 0;
    unsigned shared_bytes = 0;
    dim3 grid, block;
    uint3 index{};
    void (*body)(void**) = nullptr;
    void** arguments = nullptr;
    bool forwards = true;  // whether its threads run in ascending order
    bool ended = false;
    jmp_buf scheduler;
    bool failed = false;
    char message[512];

    unsigned char* shared_start() {
        const size_t first = reinterpret_cast<size_t>(shared.data()) + GUARD_BYTES;
        return reinterpret_cast<unsigned char*>((first + 127) / 128 * 128);
    }
};

// The running block.
thread_local Team* here = nullptr;

// Suspends the running thread; returns when the scheduler resumes it.
__attribute__((noinline)) void yield() {
    if (_setjmp(here->self->resume) == 0) _longjmp(here->scheduler, 1);
}

__attribute__((format(printf, 1, 2))) void note_failure(const char* format, ...) {
    if (here->failed) return;
    here->failed = true;
    va_list values;
    va_start(values, format);
    const int length = snprintf(here->message, sizeof here->message, "in block (%u, %u, %u) ", here->index.x, here->index.y, here->index.z);
    vsnprintf(here->message + length, sizeof here->message - length, format, values);
    va_end(values);
}

void fibre_main() {
    for (;;) {
        here->body(here->arguments);
        here->self->state = State::Ended;
        yield();
    }
}

// Runs a thread until it waits or ends.
__attribute__((noinline)) void enter(Fibre& fibre) {
    here->self = &fibre;
    if (_setjmp(here->scheduler) != 0) return;
    if (fibre.begun) _longjmp(fibre.resume, 1);
    fibre.begun = true;
    getcontext(&fibre.start);
    fibre.start.uc_stack.ss_sp = fibre.stack + PAGE_BYTES;
    fibre.start.uc_stack.ss_size = STACK_BYTES;
    fibre.start.uc_link = nullptr;
    makecontext(&fibre.start, fibre_main, 0);
    setcontext(&fibre.start);
}

void wait(State state, const char* file, int line, unsigned mask = 0) {
    Fibre& self = *here->self;
    self.state = state;
    self.file = file;
    self.line = line;
    self.mask = mask;
    yield();
}

struct Barrier {
    const char* file;
    int line;
    void operator()() const { wait(State::AtBarrier, file, line); }
};

struct WarpBarrier {
    const char* file;
    int line;
    void operator()(unsigned mask = ~0u) const { wait(State::AtWarpBarrier, file, line, mask); }
};

struct Pause {
    const char* file;
    int line;
    void operator()() const { wait(State::Paused, file, line); }
};

unsigned lane() { return here->self->rank % WARP; }

// The lanes of a mask that exist in the block.
unsigned present(unsigned warp_start, unsigned mask) {
    const unsigned lanes = here->threads - warp_start;
    return lanes >= WARP ? mask : mask & ((1u << lanes) - 1);
}

// Releases the threads at a warp barrier that all lanes of their mask have reached.
void release_warps() {
    for (unsigned rank = 0; rank < here->threads; ++rank) {
        Fibre& fibre = *here->fibres[rank];
        if (fibre.state != State::AtWarpBarrier) continue;
        const unsigned start = rank / WARP * WARP;
        const unsigned partners = present(start, fibre.mask);
        bool all = true;
        for (unsigned k = 0; k < WARP && all; ++k) {
            if (!(partners >> k & 1)) continue;
            const Fibre& partner = *here->fibres[start + k];
            all = partner.state == State::AtWarpBarrier && partner.mask == fibre.mask;
        }
        if (!all) continue;
        fibre.state = State::Ready;
        for (unsigned k = 0; k < WARP; ++k) if (partners >> k & 1) here->fibres[start + k]->state = State::Ready;
    }
}

// Releases all threads if all have reached a barrier; it is a failure if they are at different barriers.
void release_barrier() {
    const Fibre& first = *here->fibres[0];
    for (unsigned rank = 0; rank < here->threads; ++rank) {
        const Fibre& fibre = *here->fibres[rank];
        if (fibre.state != State::AtBarrier) return;
    }
    for (unsigned rank = 0; rank < here->threads; ++rank) {
        Fibre& fibre = *here->fibres[rank];
        if (fibre.line != first.line || strcmp(fibre.file, first.file) != 0) {
            note_failure("threads meet at different barriers: thread %u at %s:%d, thread %u at %s:%d", 0u, first.file, first.line,
                         rank, fibre.file, fibre.line);
        }
        fibre.state = State::Ready;
    }
}

// Reports a deadlock: which thread waits, where, and for which other thread.
void note_deadlock() {
    const Fibre *waiting = nullptr, *other = nullptr;
    for (unsigned rank = 0; rank < here->threads; ++rank) {
        const Fibre& fibre = *here->fibres[rank];
        const bool ended = fibre.state == State::Ended;
        if (!ended && (!waiting || fibre.state == State::Paused)) waiting = &fibre;
        else if (!other || (ended && other->state != State::Ended)) other = &fibre;
    }
    if (waiting->state == State::Paused) {
        note_failure("thread %u waits at %s:%d for another block, which will not do it; is the launch one of `Launch::together`?", waiting->rank,
                     waiting->file, waiting->line);
        return;
    }
    const char* barrier = waiting->state == State::AtBarrier ? "barrier" : "warp barrier";
    if (other && other->state != State::Ended) {
        note_failure("thread %u waits at the %s at %s:%d, which thread %u, waiting at %s:%d, never reaches", waiting->rank, barrier,
                     waiting->file, waiting->line, other->rank, other->file, other->line);
    } else {
        note_failure("thread %u waits at the %s at %s:%d, which thread %u, already ended, never reaches", waiting->rank, barrier,
                     waiting->file, waiting->line, other ? other->rank : waiting->rank);
    }
}

void check_shared() {
    const unsigned char* const start = here->shared_start();
    for (size_t k = 1; k <= GUARD_BYTES; ++k) {
        if (start[-static_cast<ptrdiff_t>(k)] != UNSET) {
            note_failure("something was written %zu bytes before the dynamic shared memory", k);
            return;
        }
    }
    for (size_t k = 0; k < GUARD_BYTES; ++k) {
        if (start[here->shared_bytes + k] != UNSET) {
            note_failure("something was written at byte %zu of %u bytes of dynamic shared memory", here->shared_bytes + k,
                         here->shared_bytes);
            return;
        }
    }
}

// Runs each thread of the block until it waits or ends; returns whether any did more than wait for another block.
bool take_turn() {
    bool moved = false;
    unsigned ended = 0;
    for (unsigned k = 0; k < here->threads && !here->failed; ++k) {
        Fibre& fibre = *here->fibres[here->forwards ? k : here->threads - 1 - k];
        const State before = fibre.state;
        if (before == State::Ready || before == State::Paused) {
            enter(fibre);
            moved |= before == State::Ready || fibre.state != State::Paused;
        }
        ended += fibre.state == State::Ended;
    }
    if (here->failed) return false;
    here->ended = ended == here->threads;
    if (here->ended) check_shared();
    release_warps();
    release_barrier();
    return moved;
}

// Runs the first `count` blocks in turn until all have ended.
void run_blocks(const std::vector<std::unique_ptr<Team>>& teams, size_t count) {
    for (size_t left = count; left > 0;) {
        bool moved = false;
        Team* waiting = nullptr;
        left = 0;
        for (size_t n = 0; n < count; ++n) {
            here = teams[n].get();
            if (here->ended) continue;
            moved |= take_turn();
            if (here->failed) return;
            if (here->ended) continue;
            waiting = here;
            ++left;
        }
        if (moved || left == 0) continue;
        here = waiting;
        note_deadlock();
        return;
    }
}

// The parameters of a launch, common to all its blocks.
struct Call {
    void (*body)(void**);
    void** arguments;
    dim3 grid, block;
    unsigned shared_bytes;
};

// Assigns block `number` to a team; false if the system has no memory for it. Only the first team has guards: a kernel that overflows a stack does so there, too.
bool gather(Team& team, bool guarded, const Call& call, unsigned number) {
    const dim3 grid = call.grid, block = call.block;
    team.grid = grid;
    team.block = block;
    team.index = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    team.body = call.body;
    team.arguments = call.arguments;
    team.threads = block.x * block.y * block.z;
    team.shared_bytes = call.shared_bytes;
    team.forwards = number % 2 == 0;
    team.ended = team.failed = false;
    team.shared.assign(call.shared_bytes + 2 * GUARD_BYTES + 128, UNSET);
    while (team.fibres.size() < team.threads) {
        team.fibres.push_back(std::make_unique<Fibre>(guarded));
        if (!team.fibres.back()->stack) return false;
    }
    for (unsigned rank = 0; rank < team.threads; ++rank) {
        Fibre& fibre = *team.fibres[rank];
        fibre.state = State::Ready;
        fibre.rank = rank;
        fibre.thread = {rank % block.x, rank / block.x % block.y, rank / block.x / block.y};
    }
    return true;
}

// Runs all blocks, in turn if `together`, else one after the other; returns 0, or 1 with a message.
int run(const Call& call, bool together, char* message, size_t message_bytes) {
    static thread_local std::vector<std::unique_ptr<Team>> teams;
    const unsigned blocks = call.grid.x * call.grid.y * call.grid.z, at_once = together ? blocks : 1;
    while (teams.size() < at_once) teams.push_back(std::make_unique<Team>());
    bool failed = false;
    for (unsigned first = 0; first < blocks && !failed; first += at_once) {
        bool gathered = true;
        for (unsigned n = 0; n < at_once && gathered; ++n) {
            here = teams[n].get();
            gathered = gather(*here, n == 0, call, first + n);
        }
        if (gathered) run_blocks(teams, at_once);
        else note_failure("the system has no memory left for its threads");
        failed = here->failed;
    }
    if (!failed) return 0;
    snprintf(message, message_bytes, "%s", here->message);
    for (auto& team : teams) {
        for (auto& fibre : team->fibres) fibre->begun = false;  // some are suspended within the kernel
    }
    return 1;
}

// Calls a kernel with pointers to its arguments, and lists their sizes.
template <auto kernel, class Signature = decltype(kernel)>
struct Entry;

template <auto kernel, class... A>
struct Entry<kernel, void (*)(A...)> {
    template <size_t... I>
    static void call(void** arguments, std::index_sequence<I...>) {
        kernel(*static_cast<std::remove_cv_t<A>*>(arguments[I])...);
    }
    static void body(void** arguments) { call(arguments, std::index_sequence_for<A...>()); }
    static unsigned sizes(unsigned long long* bytes, unsigned capacity) {
        const unsigned long long all[] = {sizeof(A)..., 0};
        for (unsigned k = 0; k < sizeof...(A) && k < capacity; ++k) bytes[k] = all[k];
        return sizeof...(A);
    }
};

[[noreturn]] void trap(const char* file, int line) {
    note_failure("thread %u met a trap at %s:%d", here->self->rank, file, line);
    _longjmp(here->scheduler, 1);
}

// Exchanges values within a warp: returns that of lane `source`, or the thread's own if that lane does not exist.
template <class T>
T exchange(WarpBarrier barrier, unsigned mask, T value, unsigned source, bool in_range) {
    static_assert(sizeof(T) <= sizeof here->self->slot, "values have at most 16 bytes");
    memcpy(here->self->slot, &value, sizeof(T));
    barrier(mask);
    const unsigned rank = here->self->rank / WARP * WARP + source;
    if (in_range && rank < here->threads) memcpy(&value, here->fibres[rank]->slot, sizeof(T));
    barrier(mask);
    return value;
}

struct Shuffle : WarpBarrier {
    template <class T>
    T operator()(unsigned mask, T value, int source, int width = WARP) const {
        return exchange(*this, mask, value, (lane() & ~(width - 1)) | (source & (width - 1)), true);
    }
};

struct ShuffleUp : WarpBarrier {
    template <class T>
    T operator()(unsigned mask, T value, unsigned delta, int width = WARP) const {
        return exchange(*this, mask, value, lane() - delta, (lane() & (width - 1)) >= delta);
    }
};

struct ShuffleDown : WarpBarrier {
    template <class T>
    T operator()(unsigned mask, T value, unsigned delta, int width = WARP) const {
        return exchange(*this, mask, value, lane() + delta, (lane() & (width - 1)) + delta < static_cast<unsigned>(width));
    }
};

struct ShuffleXor : WarpBarrier {
    template <class T>
    T operator()(unsigned mask, T value, int bits, int width = WARP) const {
        return exchange(*this, mask, value, lane() ^ bits, ((lane() ^ bits) / width) == lane() / width);
    }
};

struct Ballot : WarpBarrier {
    unsigned operator()(unsigned mask, int predicate) const {
        const unsigned start = here->self->rank / WARP * WARP;
        memcpy(here->self->slot, &predicate, sizeof predicate);
        WarpBarrier::operator()(mask);
        unsigned votes = 0;
        for (unsigned k = 0; k < WARP; ++k) {
            if (!(present(start, mask) >> k & 1)) continue;
            int vote;
            memcpy(&vote, here->fibres[start + k]->slot, sizeof vote);
            votes |= (vote != 0 ? 1u : 0u) << k;
        }
        WarpBarrier::operator()(mask);
        return votes;
    }
};

struct BarrierCount : Barrier {
    int operator()(int predicate) const {
        memcpy(here->self->slot, &predicate, sizeof predicate);
        Barrier::operator()();
        int count = 0;
        for (unsigned rank = 0; rank < here->threads; ++rank) {
            int vote;
            memcpy(&vote, here->fibres[rank]->slot, sizeof vote);
            count += vote != 0;
        }
        Barrier::operator()();
        return count;
    }
};

}  // namespace
}  // namespace craton_host

#define threadIdx (craton_host::here->self->thread)
#define blockIdx (craton_host::here->index)
#define blockDim (craton_host::here->block)
#define gridDim (craton_host::here->grid)
static const int warpSize = craton_host::WARP;

#define CRATON_HERE(type) (craton_host::type{__FILE__, __LINE__})
#define CRATON_HERE_IN_WARP(type) (craton_host::type{{__FILE__, __LINE__}})
#define __syncthreads CRATON_HERE(Barrier)
#define __syncthreads_count CRATON_HERE_IN_WARP(BarrierCount)
#define __syncthreads_or(predicate) (CRATON_HERE_IN_WARP(BarrierCount)(predicate) != 0)
#define __syncthreads_and(predicate) (CRATON_HERE_IN_WARP(BarrierCount)(!(predicate)) == 0)
#define __syncwarp CRATON_HERE(WarpBarrier)
#define __shfl_sync CRATON_HERE_IN_WARP(Shuffle)
#define __shfl_up_sync CRATON_HERE_IN_WARP(ShuffleUp)
#define __shfl_down_sync CRATON_HERE_IN_WARP(ShuffleDown)
#define __shfl_xor_sync CRATON_HERE_IN_WARP(ShuffleXor)
#define __ballot_sync CRATON_HERE_IN_WARP(Ballot)
#define __any_sync(mask, predicate) (CRATON_HERE_IN_WARP(Ballot)(mask, predicate) != 0)
#define __all_sync(mask, predicate) (CRATON_HERE_IN_WARP(Ballot)(mask, !(predicate)) == 0)
#define CRATON_PAUSE CRATON_HERE(Pause)
#define __trap() craton_host::trap(__FILE__, __LINE__)

// ---- entry points

#define CRATON_SHARED(type, name) type* const name = reinterpret_cast<type*>(craton_host::here->shared_start())

#define CRATON_ENTRY(name)                                                                                                   \
    extern "C" __attribute__((visibility("default"))) int name##__launch(const unsigned* grid, const unsigned* block,          \
        unsigned shared_bytes, unsigned together, void** arguments, char* message, size_t message_bytes) {                     \
        const craton_host::Call call = {craton_host::Entry<&name>::body, arguments, {grid[0], grid[1], grid[2]},               \
                                        {block[0], block[1], block[2]}, shared_bytes};                                         \
        return craton_host::run(call, together != 0, message, message_bytes);                                                  \
    }                                                                                                                          \
    extern "C" __attribute__((visibility("default"))) unsigned name##__arguments(unsigned long long* bytes, unsigned capacity) { \
        return craton_host::Entry<&name>::sizes(bytes, capacity);                                                              \
    }

// ---- device functions

template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }

template <class T> static inline T __ldg(const T* address) { return *address; }
template <class T> static inline T __ldcg(const T* address) { return *address; }
template <class T> static inline T __ldcs(const T* address) { return *address; }
template <class T> static inline void __stcg(T* address, T value) { *address = value; }
template <class T> static inline void __stcs(T* address, T value) { *address = value; }

template <class T> using craton_same = typename std::common_type<T>::type;  // converts to the type of the first argument
template <class T> static inline T atomicExch(T* address, craton_same<T> value) { return std::exchange(*address, value); }
template <class T> static inline T atomicAdd(T* address, craton_same<T> value) { return std::exchange(*address, T(*address + value)); }
template <class T> static inline T atomicSub(T* address, craton_same<T> value) { return std::exchange(*address, T(*address - value)); }
template <class T> static inline T atomicMin(T* address, craton_same<T> value) { return std::exchange(*address, min(*address, value)); }
template <class T> static inline T atomicMax(T* address, craton_same<T> value) { return std::exchange(*address, max(*address, value)); }
template <class T> static inline T atomicAnd(T* address, craton_same<T> value) { return std::exchange(*address, T(*address & value)); }
template <class T> static inline T atomicOr(T* address, craton_same<T> value) { return std::exchange(*address, T(*address | value)); }
template <class T> static inline T atomicCAS(T* address, craton_same<T> expected, craton_same<T> value) {
    return *address == expected ? std::exchange(*address, value) : *address;
}
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}

static inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
static inline double rsqrt(double a) { return 1.0 / sqrt(a); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __frsqrt_rn(float a) { return 1.0f / sqrtf(a); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }

static inline int __popc(unsigned int bits) { return __builtin_popcount(bits); }
static inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }

template <class To, class From> static inline To craton_bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "both types have the same size");
    To bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline int __float_as_int(float value) { return craton_bits<int>(value); }
static inline unsigned int __float_as_uint(float value) { return craton_bits<unsigned int>(value); }
static inline float __int_as_float(int bits) { return craton_bits<float>(bits); }
static inline float __uint_as_float(unsigned int bits) { return craton_bits<float>(bits); }
static inline int __double2hiint(double value) { return static_cast<int>(craton_bits<unsigned long long>(value) >> 32); }
static inline int __double2loint(double value) { return static_cast<int>(craton_bits<unsigned long long>(value)); }
static inline double __hiloint2double(int high, int low) {
    return craton_bits<double>(static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 | static_cast<unsigned int>(low));
}
