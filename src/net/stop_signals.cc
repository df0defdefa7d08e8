#include "net/stop_signals.h"

#include <pthread.h>
#include <signal.h>

#include "net/http_server.h"

namespace brigada {

namespace {

constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 50'000'000};

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

bool signal_within(const timespec& time) {
    const sigset_t set = stop_signals();
    return sigtimedwait(&set, nullptr, &time) > 0;
}

}  // namespace

void block_stop_signals() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void block_reload_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool stop_requested() {
    return signal_within({});
}

void wait_for_stop() {
    const sigset_t set = stop_signals();
    int signal = 0;
    sigwait(&set, &signal);
}

Told wait_for_stop_or_reload() {
    sigset_t set = stop_signals();
    sigaddset(&set, SIGHUP);
    int signal = 0;
    sigwait(&set, &signal);
    return signal == SIGHUP ? Told::reload : Told::stop;
}

ImpatientStop::ImpatientStop(HttpServer& server) : thread_([this, &server] { watch(server); }) {}

ImpatientStop::~ImpatientStop() {
    done_ = true;
    thread_.join();
}

void ImpatientStop::watch(HttpServer& server) {
    while (!done_) {
        if (!signal_within(kLook)) continue;
        server.stop();
        return;
    }
}

}  // namespace brigada
