#include "ping.h"

#include <chrono>
#include <thread>
#include <utility>

Pinger::Pinger(std::string host) : host_(std::move(host))
{
}

static void await_answer(Reply &reply, int answer_ms)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(answer_ms));
    reply.millis = answer_ms;
}

Reply *Pinger::ping(int patience_ms, int answer_ms)
{
    auto *reply = new Reply;
    std::thread([reply, answer_ms] { await_answer(*reply, answer_ms); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(patience_ms));
    return reply;
}

long elapsed(const Reply &reply)
{
    return reply.millis;
}
