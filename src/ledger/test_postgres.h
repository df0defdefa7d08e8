// TestPostgres: a real PostgreSQL for tests, on a loopback port and in a folder of its own. It can
// be frozen, killed and started again, as machines do it.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/concat.h"
#include "ledger/postgres.h"
#include "ledger/test_folder.h"

namespace brigada {

class TestPostgres {
  public:
    /// One for all tests of a process; it ends with it.
    static TestPostgres& shared() {
        static TestPostgres one;
        return one;
    }

    static bool is_installed() { return std::filesystem::exists(program("postgres")); }

    TestPostgres() {
        CHECK(is_installed(), "there is no ", program("postgres"), "; install postgresql-15");
        if (::getuid() == 0) user_ = ::getpwnam("postgres");
        if (user_) CHECK(::chown(folder_.path().c_str(), user_->pw_uid, user_->pw_gid) == 0);
        const pid_t made = launch({program("initdb"), "-D", data(), "-A", "trust", "-U", "brigada",
                                   "-E", "UTF8", "--locale=C", "--no-sync"});
        int status = 0;
        CHECK(::waitpid(made, &status, 0) == made && status == 0, bytes_of(log()));
        start();
    }
    ~TestPostgres() { stop(); }
    TestPostgres(const TestPostgres&) = delete;
    TestPostgres& operator=(const TestPostgres&) = delete;

    /// Takes connections when it returns; on the same port each time.
    void start() {
        if (port_ == 0) port_ = free_port();
        postmaster_ = launch({program("postgres"), "-D", data(), "-p", std::to_string(port_), "-h",
                              "127.0.0.1", "-k", folder_.path().string(), "-c", "fsync=off", "-c",
                              "shared_buffers=16MB", "-c", "max_connections=60"});
        while (!Postgres::connect(config("postgres")).ok()) {
            CHECK(::waitpid(postmaster_, nullptr, WNOHANG) == 0, bytes_of(log()));
            ::poll(nullptr, 0, 10);  // it needs the processor more than we do
        }
    }

    /// At once, as a crash would.
    void stop() {
        if (postmaster_ == 0) return;
        thaw();
        ::kill(postmaster_, SIGQUIT);
        ::waitpid(postmaster_, nullptr, 0);
        postmaster_ = 0;
    }

    /// Its ports stay open and its system still acknowledges bytes, but nothing answers.
    void freeze() {
        ::kill(postmaster_, SIGSTOP);
        frozen_ = children();
        for (const pid_t child : frozen_)
            ::kill(child, SIGSTOP);
    }
    void thaw() {
        for (const pid_t child : frozen_)
            ::kill(child, SIGCONT);
        frozen_.clear();
        ::kill(postmaster_, SIGCONT);
    }

    /// An empty database of its own for each caller.
    PostgresConfig fresh_database() {
        static std::atomic<int> number = 0;
        const std::string name = concat("test_", ++number);
        auto admin = Postgres::connect(config("postgres"));
        CHECK(admin->run_script(concat("CREATE DATABASE ", name).c_str()).ok());
        return config(name);
    }

    PostgresConfig config(std::string_view database) const {
        const std::string url = concat("postgresql://brigada@127.0.0.1:", port_, "/", database);
        return {.address = parse_postgres_address(url).value(), .patience = Duration::seconds(20)};
    }

    static void run_sql(const PostgresConfig& config, const char* sql) {
        auto database = Postgres::connect(config);
        const auto done = database->run_script(sql);
        CHECK(done.ok(), sql, ": ", done.error().message);
    }

  private:
    static std::string program(std::string_view name) {
        return concat("/usr/lib/postgresql/15/bin/", name);
    }
    std::string data() const { return (folder_.path() / "data").string(); }
    Path log() const { return folder_.path() / "log"; }

    static int free_port() {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        CHECK(::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0);
        CHECK(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        ::close(socket);
        return ntohs(address.sin_port);
    }

    /// PostgreSQL refuses to run as root.
    pid_t launch(const std::vector<std::string>& words) {
        std::vector<char*> arguments;
        for (const std::string& word : words)
            arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        const std::string log_path = log().string(), folder = folder_.path().string();
        const pid_t child = ::fork();
        if (child != 0) return child;
        if (user_ && (::setgroups(0, nullptr) != 0 || ::setgid(user_->pw_gid) != 0 ||
                      ::setuid(user_->pw_uid) != 0))
            ::_exit(126);
        ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // a test that aborts leaves no server behind
        const int out = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        if (::chdir(folder.c_str()) != 0) ::_exit(126);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }

    /// The server has a process for each connection.
    std::vector<pid_t> children() const {
        std::vector<pid_t> out;
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            const std::string name = entry.path().filename();
            pid_t pid = 0;
            if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc())
                continue;
            std::ifstream stat(entry.path() / "stat");
            std::string line;
            std::getline(stat, line);  // "17 (postgres) S 1 ..."
            const size_t end = line.rfind(") ");
            if (end == std::string::npos) continue;
            pid_t parent = 0;
            std::from_chars(line.data() + end + 4, line.data() + line.size(), parent);
            if (parent == postmaster_) out.push_back(pid);
        }
        return out;
    }

    const TestFolder folder_;
    const passwd* user_ = nullptr;  // null: whoever runs the test
    int port_ = 0;
    pid_t postmaster_ = 0;
    std::vector<pid_t> frozen_;
};

/// In a test that needs PostgreSQL: skips it where there is none, unless everything must be there.
#define NEEDS_POSTGRES()                                                         \
    if (!TestPostgres::is_installed() && !std::getenv("BRIGADA_REQUIRE_ASSETS")) \
    GTEST_SKIP() << "PostgreSQL 15 is not installed"

}  // namespace brigada
