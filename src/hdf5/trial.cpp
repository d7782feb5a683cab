#include "trial.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.hpp"

namespace vessiot::hdf5 {

namespace {

constexpr rlim_t longest = 60; // seconds of the processor; twice as many in all

// A crash is no news there, and leaves no traces.
void be_quiet() {
    const rlimit none{0, 0}, time{longest, longest};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_CPU, &time);
    ::alarm(2 * longest);
    for (const int s : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGALRM}) std::signal(s, SIG_DFL);
    for (const int s : {SIGINT, SIGTERM}) std::signal(s, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

} // namespace

bool comes_to_an_end(const std::function<void()>& f) {
    const pid_t child = ::fork();
    if (child < 0) return true;
    if (child == 0) {
        be_quiet();
        try {
            f();
        } catch (const Failure&) { // the caller meets it again
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0); // without closing anything: what is only in memory is not written
    }
    int status = 0;
    pid_t ended = -1;
    do ended = ::waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended != child || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace vessiot::hdf5
