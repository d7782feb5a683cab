#include "ensemble/team/team.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "core/error.hpp"
#include "ensemble/block_log.hpp"

namespace vessiot {

namespace ensemble {

namespace {

using namespace std::chrono_literals;

enum class Kind : std::int64_t { hello, want, members, results, failed, gone, alive, ping, end };

// What is told, numbers, text: [what][how many numbers][numbers…][text]
struct Letter {
    Kind what = Kind::alive;
    std::vector<std::int64_t> numbers{};
    std::string text{};
};

std::string bytes_of(const Letter& letter) {
    std::vector<std::int64_t> head{static_cast<std::int64_t>(letter.what), std::ssize(letter.numbers)};
    head.insert(head.end(), letter.numbers.begin(), letter.numbers.end());
    std::string bytes(head.size() * sizeof(std::int64_t), '\0');
    std::memcpy(bytes.data(), head.data(), bytes.size());
    return bytes + letter.text;
}

Letter letter_of(const std::string& bytes) {
    constexpr std::size_t word = sizeof(std::int64_t);
    std::int64_t head[2] = {};
    if (bytes.size() < sizeof head) throw InvalidInput("a message between ranks is damaged");
    std::memcpy(head, bytes.data(), sizeof head);
    const auto n = static_cast<std::size_t>(head[1]);
    if (head[0] < 0 || head[0] > static_cast<std::int64_t>(Kind::end) || head[1] < 0 || n > bytes.size() / word - 2)
        throw InvalidInput("a message between ranks is damaged");
    Letter letter{static_cast<Kind>(head[0]), std::vector<std::int64_t>(n), bytes.substr((n + 2) * word)};
    std::memcpy(letter.numbers.data(), bytes.data() + sizeof head, n * word);
    return letter;
}

bool is_second_ago(Team::Clock::time_point time) {
    return Team::Clock::now() - time > 1s;
}

} // namespace

Giver::Giver(Ranks& ranks, OpenBlocks& blocks, const EnsembleHead& head, std::string identity)
    : ranks_(ranks), blocks_(blocks), head_(head), identity_(std::move(identity)),
      others_(static_cast<std::size_t>(ranks.size())) {}

void Giver::look() {
    while (const auto message = ranks_.receive()) take(message->from, message->bytes);
    const bool speaks = is_second_ago(said_);
    if (speaks) said_ = Clock::now();
    const std::chrono::duration<double> patience(ranks_.patience());
    for (int k = 1; k < ranks_.size(); ++k) {
        const Other& o = other(k);
        if (o.has_come && !o.is_gone && Clock::now() - o.heard > patience) lose(k, "was silent");
        if (speaks) ranks_.send(k, bytes_of({Kind::alive}));
        if (o.wants > 0) serve(k);
    }
}

void Giver::take(int from, const std::string& bytes) {
    const Letter letter = letter_of(bytes);
    Other& o = other(from);
    o.has_come = true;
    o.is_gone = false;
    o.heard = Clock::now();
    switch (letter.what) {
    case Kind::hello:
        if (letter.text != identity_)
            throw InvalidInput(fmt::format("rank {} runs another ensemble: program, model, options and files must be "
                                           "the same on all ranks",
                                           from));
        break;
    case Kind::want: o.wants = letter.numbers.at(0); break;
    case Kind::results: take_results(letter.numbers.at(0), letter.text); break;
    case Kind::failed: throw InvalidInput(fmt::format("rank {}: {}", from, letter.text));
    case Kind::gone: lose(from, "was told to stop"); break;
    default: break;
    }
}

void Giver::take_results(std::int64_t number, const std::string& bytes) {
    const auto found = grants_.find(number);
    if (found == grants_.end()) return; // it was given up
    const MemberRange range = found->second.range;
    grants_.erase(found);
    blocks_.fill(range, read_part(bytes, head_, range.work->block.first + range.place, range.count));
}

void Giver::serve(int rank) {
    std::vector<std::int64_t> numbers;
    for (const MemberRange& range : blocks_.give(other(rank).wants)) {
        grants_[next_grant_] = {rank, range};
        numbers.insert(numbers.end(), {next_grant_++, range.work->block.first + range.place, range.count});
    }
    if (numbers.empty()) return;
    other(rank).wants = 0;
    ranks_.send(rank, bytes_of({Kind::members, numbers}));
}

void Giver::lose(int rank, const char* how) {
    other(rank).is_gone = true;
    other(rank).wants = 0;
    ranks_.give_up();
    std::int64_t n = 0;
    std::erase_if(grants_, [&](const auto& entry) {
        if (entry.second.rank != rank) return false;
        n += entry.second.range.count;
        blocks_.give_back(entry.second.range);
        return true;
    });
    notes_.push_back(fmt::format("rank {} {}: others ran the {} members that it had", rank, how, n));
}

// Whoever comes late has to hear that it is over.
void Giver::wait_for_those_to_come() {
    const auto end = Clock::now() + std::chrono::duration<double>(ranks_.patience());
    const auto has_come = [](const Other& o) { return o.has_come; };
    while (!std::all_of(others_.begin() + 1, others_.end(), has_come) && Clock::now() < end) {
        while (const auto message = ranks_.receive()) other(message->from).has_come = true;
        std::this_thread::sleep_for(1ms);
    }
    if (!std::all_of(others_.begin() + 1, others_.end(), has_come)) ranks_.give_up();
}

// One that died with nothing to do was not missed: MPI would wait for it for ever.
void Giver::wait_for_answers() {
    std::vector<int> asked;
    for (int k = 1; k < ranks_.size(); ++k)
        if (other(k).has_come && !other(k).is_gone) asked.push_back(k);
    for (const int k : asked) ranks_.send(k, bytes_of({Kind::ping}));
    const auto end = Clock::now() + std::chrono::duration<double>(ranks_.patience());
    while (!asked.empty() && Clock::now() < end) {
        while (const auto message = ranks_.receive()) {
            const Kind what = letter_of(message->bytes).what;
            if (what == Kind::ping || what == Kind::gone || what == Kind::failed) std::erase(asked, message->from);
        }
        if (!asked.empty()) std::this_thread::sleep_for(1ms);
    }
    if (!asked.empty()) ranks_.give_up();
}

void Giver::end() {
    wait_for_those_to_come();
    wait_for_answers();
    leave(ranks_, "");
}

Asker::Asker(Ranks& ranks, OpenBlocks& blocks, std::string identity, std::int64_t n_seats)
    : ranks_(ranks), blocks_(blocks), n_seats_(n_seats) {
    ranks_.send(0, bytes_of({Kind::hello, {}, std::move(identity)}));
}

void Asker::look() {
    while (const auto message = ranks_.receive()) take(message->bytes);
    if (ended_) return;
    send_results();
    ask();
    if (is_second_ago(said_)) {
        said_ = Clock::now();
        ranks_.send(0, bytes_of({Kind::alive}));
    }
    // NOTE: before the first word rank 0 may be reading a long log
    if (has_heard_ && Clock::now() - heard_ > 3 * std::chrono::duration<double>(ranks_.patience())) {
        ranks_.give_up();
        throw std::runtime_error("rank 0 is gone; go on with its checkpoint, --resume FILE");
    }
}

void Asker::take(const std::string& bytes) {
    const Letter letter = letter_of(bytes);
    heard_ = Clock::now();
    has_heard_ = true;
    if (letter.what == Kind::ping) ranks_.send(0, bytes_of({Kind::ping}));
    if (letter.what == Kind::end) {
        ended_ = true;
        if (letter.numbers.at(0) == 0) ranks_.give_up();
        blocks_.end_of_members();
    }
    if (letter.what != Kind::members) return;
    is_asking_ = false;
    if (began_ == Clock::time_point{}) began_ = Clock::now();
    for (std::size_t k = 0; k + 2 < letter.numbers.size(); k += 3)
        blocks_.add(letter.numbers[k + 1], letter.numbers[k + 2], letter.numbers[k]);
}

void Asker::send(Work& work) {
    close(work);
    std::string bytes = bytes_of({Kind::results, {work.grant}, write_part(work.block)});
    const std::lock_guard lock(mutex_);
    outbox_.push_back(std::move(bytes));
}

void Asker::send_results() {
    std::vector<std::string> results;
    {
        const std::lock_guard lock(mutex_);
        results.swap(outbox_);
    }
    for (std::string& bytes : results) ranks_.send(0, std::move(bytes));
}

// As many as are run at a time, and those that are done while an answer is on its way.
void Asker::ask() {
    constexpr double answer_s = 0.03;
    if (is_asking_) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    const double rate = began_ == Clock::time_point{} ? 0 : static_cast<double>(blocks_.n_done()) / seconds;
    const std::int64_t enough = std::max(n_seats_, static_cast<std::int64_t>(answer_s * rate));
    const std::int64_t n = blocks_.n_untaken();
    if (2 * n > enough) return;
    is_asking_ = true;
    ranks_.send(0, bytes_of({Kind::want, {enough - n}}));
}

void Asker::end() {
    if (!ended_) ranks_.send(0, bytes_of({Kind::gone}));
}

} // namespace ensemble

void leave(Ranks& ranks, const std::string& why) {
    using namespace ensemble;
    if (ranks.rank() > 0) return ranks.send(0, bytes_of({Kind::failed, {}, why}));
    for (int k = 1; k < ranks.size(); ++k) ranks.send(k, bytes_of({Kind::end, {ranks.is_whole() ? 1 : 0}}));
}

} // namespace vessiot
