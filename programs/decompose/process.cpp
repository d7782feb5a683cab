#include "decompose/process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/temporary_folder.hpp"

namespace vessiot::decompose {

namespace {

using Clock = std::chrono::steady_clock;
using End = ProcessResult::End;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    void reset(int number) {
        close();
        number_ = number;
    }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_ = -1;
};

// A file in memory, to be read from its beginning.
void open_input(Descriptor& file, std::string_view text) {
    file.reset(::memfd_create("input", MFD_CLOEXEC));
    if (file.number() < 0) fail("memfd_create");
    while (!text.empty()) {
        const ssize_t n = ::write(file.number(), text.data(), text.size());
        if (n < 0 && errno != EINTR) fail("write");
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::lseek(file.number(), 0, SEEK_SET) < 0) fail("lseek");
}

// In the new process, where only functions may be called that are safe in a signal handler.
struct Image {
    const char *program, *folder;
    char *const *arguments, *const *environment;
};
[[noreturn]] void become(const Image& image, int input, int output, pid_t parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127); // it died before the line above
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) ::_exit(127);
    if (::chdir(image.folder) != 0) ::_exit(127);
    ::execve(image.program, image.arguments, image.environment);
    ::_exit(errno == ENOEXEC ? 126 : 127);
}

class Child {
public:
    Child(const std::string& program, const std::vector<std::string>& arguments, const std::string& input,
          const std::string& hidden_variables) {
        std::vector<std::string> words{program};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        std::vector<char*> variables;
        for (char** v = environ; v && *v; ++v)
            if (hidden_variables.empty() || !std::string_view(*v).starts_with(hidden_variables))
                variables.push_back(*v);
        variables.push_back(nullptr);

        const std::string path = std::filesystem::absolute(program).string(); // it begins in another folder
        Descriptor file, end;
        open_input(file, input);
        std::array<int, 2> pipe{};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail("pipe");
        output_.reset(pipe[0]);
        end.reset(pipe[1]);
        const pid_t parent = ::getpid();
        process_ = ::fork();
        if (process_ < 0) fail("fork");
        if (process_ == 0)
            become({path.c_str(), folder_.path().c_str(), pointers.data(), variables.data()}, file.number(),
                   end.number(), parent);
        ::setpgid(process_, process_); // here too: whoever comes first
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (process_ > 0) kill();
    }

    int output() const { return output_.number(); }

    // With everything that it started.
    void kill() {
        ::kill(-process_, SIGKILL);
        wait(0);
    }

    // True where it has ended.
    bool wait(int options) {
        pid_t found = 0;
        while ((found = ::waitpid(process_, &status_, options)) < 0 && errno == EINTR) {
        }
        if (found == 0) return false;
        process_ = -1;
        return true;
    }

    int status() const { return status_; }

private:
    // NOTE: a program may load what lies in its folder under the name of a library of its own.
    TemporaryFolder folder_;
    pid_t process_ = -1;
    int status_ = 0;
    Descriptor output_;
};

// Reads until the end of the output; false where it is over.
bool read_some(int descriptor, std::string& output) {
    std::array<char, 65536> buffer; // NOLINT(*-member-init): read() fills it
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    output.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0;
}

} // namespace

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& input, const ProcessLimits& limits,
                          const std::function<bool()>& is_interrupted) {
    const auto begin = Clock::now();
    ProcessResult result;
    Child child(program, arguments, input, limits.hidden_variables);
    const auto ended = [&](End end) {
        child.kill();
        result.end = end;
        return result;
    };
    bool has_output = true;
    for (;;) {
        const double left_s = limits.time_s - std::chrono::duration<double>(Clock::now() - begin).count();
        if (is_interrupted && is_interrupted()) return ended(End::interrupted);
        if (left_s <= 0) return ended(End::timed_out);
        if (result.output.size() > limits.output_bytes) return ended(End::too_much);
        if (!has_output && child.wait(WNOHANG)) break;
        // NOTE: without output it has ended, or will in a moment
        const int pause_ms = has_output ? 100 : 1;
        pollfd event{.fd = has_output ? child.output() : -1, .events = POLLIN, .revents = 0};
        const int n = ::poll(&event, 1, std::min(pause_ms, static_cast<int>(left_s * 1000) + 1));
        if (n > 0) has_output = read_some(child.output(), result.output);
    }
    const int status = child.status();
    result.end = WIFSIGNALED(status) ? End::signalled : End::exited;
    result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

std::string find_program(const std::string& name) {
    namespace fs = std::filesystem;
    const auto is_program = [](const std::string& path) {
        std::error_code error;
        return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
    const char* folders = std::getenv("PATH");
    for (std::string_view rest = folders ? folders : ""; !rest.empty();) {
        const std::size_t colon = rest.find(':');
        const std::string_view folder = rest.substr(0, colon);
        const std::string path = (fs::path(folder.empty() ? "." : folder) / name).string();
        if (is_program(path)) return path;
        rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    }
    return "";
}

} // namespace vessiot::decompose
