// Messages as flows of packets: every link divides its time between the messages that are at it,
// and events happen only where a rate changes. What of the packet fidelity is not here:
// docs/models.md, "What the fluid network omits".
//
// - A message is at each link of its route from when its first packet arrives there until its last
//   one has left; a rate reaches the next link after the latency and the time of one packet.
// - The messages of a source take turns packet by packet, exactly (source_ring.h). Inputs of a node
//   share a link evenly, as a round robin of packets does (sharing.h), after traffic classes have
//   (class_sharing.h); what comes in faster than it leaves queues, first in, first out
//   (input_queue.h). Links may have speeds that change (link_speeds.h).
// - A full buffer takes in only what leaves it, which its link is told a latency later (buffers.h).
// - A link that can carry all that comes in passes it on: nothing is simulated there (forecast.h,
//   quiet_links.cc). It becomes live, with queues, when too much comes in, its own NPU sends as
//   well, or a full buffer holds it back, until nothing is left of what came in then.
//
// A message that shares no link with others takes what its packets take on an idle network, to the
// picosecond. Packets that take turns are a steady stream here, so messages of few packets that
// meet behind their first link can be early or late by some packets' time; those that take turns
// at their source are therefore sent as messages of one packet each.
//
// Sources: D. Bertsekas and R. Gallager, Data Networks, 1992 (sharing); B. Liu et al., "A study of
// networks simulation efficiency: fluid simulation vs. packet-level simulation", INFOCOM 2001, on
// rate changes that spread, which are told from 2^-7 of a rate on (port_sharing.cc).
//
//     FluidNetwork network(description, queue);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analytical/fluid/buffers.h"
#include "analytical/fluid/class_sharing.h"
#include "analytical/fluid/epoch_routes.h"
#include "analytical/fluid/forecast.h"
#include "analytical/fluid/input_queue.h"
#include "analytical/fluid/link_speeds.h"
#include "analytical/fluid/paths.h"
#include "analytical/fluid/sharing.h"
#include "analytical/fluid/source_ring.h"
#include "analytical/fluid/stage.h"
#include "analytical/fluid/turns.h"
#include "analytical/fluid/union_time.h"
#include "analytical/route_table.h"
#include "base/pool.h"
#include "engine/clock/event_queue.h"
#include "engine/network/idle_links.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

/// Folded links turn out not to be enough for a run: it has to be run again without.
class FoldBroken : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override {
        return "messages share a link for which another one stands";
    }
};

class FluidNetwork final : public engine::Network,
                           private engine::EventHandler,
                           private engine::IdleLinks {
public:
    /// The references must outlive the network. With a fold, messages come from the ranks that
    /// stand for others, over links that do so; FoldBroken is thrown when a link of the fold would
    /// have to be shared out between messages.
    FluidNetwork(const topology::NetworkDescription& given, engine::EventQueue& queue,
                 const LinkFold* fold = nullptr);

    void record_load(engine::LinkLoadRecorder* load) override;
    void send(const engine::Message& message) override;
    [[nodiscard]] bool sends_in_order(NodeId /* from */, NodeId /* to */) const override {
        return queue_pairs_;
    }
    [[nodiscard]] std::vector<std::string> notes(Time finish) const override;
    [[nodiscard]] std::optional<engine::CongestionTimes> congestion_times(
        Time finish) const override;
    [[nodiscard]] std::string explain_stall() const override;
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override;
    [[nodiscard]] IdleLinks* idle_links() override { return this; }

private:
    // Nothing of the past counts on idle links.
    [[nodiscard]] bool idle_state(const Links& links, State& state) override;
    void set_idle_state(const Links& /*links*/, const State& /*state*/,
                        const std::vector<engine::LinkUse>* /*carried*/) override {}
    [[nodiscard]] std::vector<engine::LinkUse> use_of(const Links& links) const override;
    void forget_longest_queues(const Links& /*links*/) override {}
    [[nodiscard]] Time contention(const Links& links) const override;

    static constexpr std::uint32_t none = Stage::none;

    enum class Happening : std::uint64_t {
        news = 0,
        due = 1,
        sharing = 2,
        delivery = 3,
        level = 4,
        budget = 5,
        acknowledged = 6,
        epoch = 7,
        timeout = 8
    };
    static constexpr unsigned happening_bits = 4;
    static constexpr unsigned index_bits = 32;
    static constexpr std::uint64_t delivery_mask = (1U << (64 - happening_bits - index_bits)) - 1;

    struct Flow {
        engine::Message message;
        Time started;
        std::uint32_t path = 0;
        std::uint32_t route = 0;  ///< in the table
        std::uint32_t first_stage = none;
        std::uint32_t users = 0;      ///< links that share themselves out to it, and its delivery
        std::uint32_t whole = none;   ///< in wholes_, of a part of a message
        std::uint32_t packet = none;  ///< of its message, which is sent packet by packet
        std::uint64_t delivery = 0;   ///< which of the planned ones counts
        Share answered = 0;           ///< rate on the last link of which the links back know
        bool delivered = false;
        std::uint32_t next = none;  ///< of a Pool
    };

    /// A message that goes over several planes, or was divided when routes changed.
    struct Whole {
        Time started;
        std::uint32_t unsent = 0;    ///< parts that have not left the source
        std::uint32_t expected = 0;  ///< parts that have not arrived
        std::uint32_t next = none;   ///< of a Pool
    };

    /// What comes to a queue by one buffer.
    struct Feed {
        std::uint32_t queue = 0;
        std::uint32_t buffer = 0;
        Share in = 0;
        Share out = 0;
        // As the buffer knows them, as shares of its link.
        Share growth = 0;
        Share leaving = 0;
        bool waiting = false;
        std::uint32_t next = none;  ///< of the queue
    };

    /// The acknowledgements of a route: the links that they take.
    struct Answers {
        struct Hop {
            std::uint32_t link = 0;
            std::uint32_t copies = 1;
            Time after;  ///< how long after the arrival of the packet
            Time time;   ///< on the link
        };
        std::vector<Hop> hops = {};
        Time total;
        bool known = false;  ///< worked out: routes of scale-up links alone have no hops
    };

    /// A message that starts in this instant, on one route.
    struct Start {
        engine::Message message;
        std::uint32_t route = 0;  ///< its number
    };

    struct Port {
        Forecast forecast = {};
        Forecast answers = {};               ///< what acknowledgements take
        std::vector<SourceRing> rings = {};  ///< messages that start here, by channel
        std::vector<Share> ring_shares = {};
        std::vector<Time> ring_ahead = {};     ///< the lead of the last packet on the link
        std::vector<InputQueue> queues = {};   ///< what comes in by other links
        std::vector<std::uint32_t> keys = {};  ///< of queues
        /// Queues in which something waits or comes in, ascending; the others have no part in
        /// anything.
        std::vector<std::uint32_t> active = {};
        std::vector<std::uint32_t> classes = {};  ///< of queues
        std::vector<Time> ahead = {};             ///< of queues: the lead of last packets, by turns
        std::vector<Time> last_begins = {};       ///< of queues: when such a packet is next
        std::vector<Feed> feeds = {};             ///< of queues
        std::vector<std::uint32_t> first_feed = {};  ///< of queues
        std::vector<Start> starts = {};              ///< in this instant
        std::vector<std::uint32_t> closing = {};     ///< messages whose end will have come in
        Time updated;
        Time passed;  ///< by which the forecast is up to date
        Time next;    ///< when something happens by itself
        Time news;    ///< when it looks at the forecast
        Time tells;   ///< when it may tell other rates again: once in the time of a packet
        Time latency;
        Time full;                  ///< a full packet, on the link as described
        Share speed = whole_link;   ///< LinkSpeeds::Span::speed
        Time varies = Time::max();  ///< when the speed or the latency is another one
        // Of links whose speed varies: how long they were sending, but for the work done since.
        Time busy;
        Work done = 0;              ///< at this speed
        Share given = 0;            ///< sum of the shares
        std::uint32_t stages = 0;   ///< live ones from other links
        std::uint32_t budgets = 0;  ///< in force
        bool untold = false;        ///< rates have changed since
        /// A full buffer behind it leaves messages less of it than they would have.
        bool held = false;
        bool leads_to_npu = false;
        bool crowded = false;  ///< is_incast()
        // Of links that mark.
        Work marks_begin = 0;  ///< queue beyond which they do; 0: never
        Work backlog = 0;      ///< in the queues, when last looked at
        Time marking;          ///< for how long it was beyond
        bool live = false;     ///< it shares its time out to what comes in by other links
        bool due = false;      ///< it will share its time again in this instant

        [[nodiscard]] bool starting() const {
            return std::any_of(rings.begin(), rings.end(),
                               [](const SourceRing& ring) { return ring.busy(); });
        }
    };

    struct BudgetChange {
        std::uint32_t buffer = none;
        Share budget = 0;
        std::uint32_t next = none;  ///< of a Pool
    };

    void handle(std::uint64_t payload) override;
    void schedule(Time at, Happening what, std::uint64_t content, std::uint64_t index,
                  std::uint64_t minor = 0);

    /// The link at the present speed. Whether it has changed.
    bool keep_speed(Port& port, std::uint32_t link);
    /// Notes that the link was sending, with this share of its work.
    void add_busy(Port& port, std::uint32_t link, Time from, Time until, Share share);
    [[nodiscard]] Time latency_at(const PathHop& hop, Time time) const {
        return speeds_.varied(hop.link) ? speeds_.at(hop.link, time).latency : hop.latency;
    }
    /// How long the link takes for a packet now, given its time on the link as described.
    [[nodiscard]] Time at_speed(std::uint32_t link, Time packet);
    /// PathHop::shift of what is sent at `time`.
    [[nodiscard]] Time shift_at(const PathHop& hop, Time time) const;
    [[nodiscard]] std::uint32_t class_of(const engine::Message& message) const;
    /// The class of what is in the buffer.
    [[nodiscard]] std::uint32_t class_of_buffer(std::uint32_t number) const {
        return number % channels_ / (channels_ / description_.packet.classes.count);
    }
    /// In what time the link fills the buffer behind it; Time::max(): it does not hold it back.
    [[nodiscard]] Time limit_of(LinkId number, Time full) const;
    [[nodiscard]] std::uint32_t route_number(const engine::Message& message);
    /// Sends some bytes of a message: over several planes, or as one of several parts, as parts
    /// of `whole`.
    void send_parts(const engine::Message& message, Bytes bytes, std::uint32_t route,
                    std::uint32_t whole);
    void start(const engine::Message& message, Bytes bytes, std::uint32_t route,
               std::uint32_t plane, std::uint32_t whole, std::uint32_t packet);
    /// The messages start that have been sent in this instant; packet by packet where they take
    /// turns and have few.
    void start_all(std::uint32_t link);
    [[nodiscard]] std::uint32_t first_link(LinkId link) const {
        return fold_ == nullptr ? static_cast<std::uint32_t>(link.value())
                                : fold_->representative(link);
    }
    [[nodiscard]] std::uint32_t new_stages(std::uint32_t hops);

    // rerouting.cc: what happens when links go down or come back.
    /// Makes the beginning of the next epoch an event.
    void await_epoch();
    void begin_epoch();
    /// All that is under way of a message.
    void reroute(const std::vector<std::uint32_t>& flows);
    /// The first link of a route at which what has not come to it, or not passed it, takes another
    /// route: hops before it; none: there is no such link.
    [[nodiscard]] std::uint32_t lost_at(const Flow& flow) const;
    /// Throws StallError if a message has to cross a link that never recovers.
    void refuse_dead_links(const Flow& flow) const;
    /// What a route keeps of a message, and what it does not.
    struct Cut {
        Bytes bytes;               ///< not kept
        std::int64_t packets = 0;  ///< of them
        bool kept = false;
        std::int64_t lost = 0;    ///< packets of them that waited for the link
        std::int64_t unsent = 0;  ///< that had not left the source
    };
    /// Part of a message that is sent again after a timeout.
    struct Resent {
        engine::Message message;
        Bytes bytes;
        std::uint32_t whole = none;
        std::uint32_t next = none;  ///< of a Pool
    };
    /// Sends again what a transport has lost on the path, with what it had not sent yet.
    void send_again(const engine::Message& message, const Cut& rest, const Path& path,
                    std::uint32_t route, std::uint32_t whole);
    void time_out(std::uint32_t number);
    [[nodiscard]] Time timeout_of(const Path& path) const;
    /// A transport does not send again what waits for a link that is down.
    [[nodiscard]] bool waits_for(const Flow& flow, std::uint32_t link) const;
    [[nodiscard]] bool pair_sends_more(const engine::Message& message) const;
    /// What has left its source stays on its route.
    [[nodiscard]] Cut withdraw(std::uint32_t number);
    /// So does only what has passed a link, or waits for it.
    [[nodiscard]] Cut take_away(std::uint32_t number, std::uint32_t hop);
    /// The message keeps this number of its (paced) packets on its route.
    [[nodiscard]] Cut shorten(std::uint32_t number, std::int64_t paced);
    /// How many packets of a message stay on its route behind a link, `most` at most, with `waits`
    /// those that wait for it among them.
    struct Passed {
        std::int64_t packets = 0;
        bool waits = false;  ///< some do
    };
    [[nodiscard]] Passed passed_by(std::uint32_t number, std::int64_t most, bool waits);
    /// All that a link will carry of a message waits for it now. False: nothing does.
    bool stand(std::uint32_t number);
    /// Takes back what a link, not the first one, knows of a message. Returns the packets that
    /// waited for it.
    std::int64_t cancel(std::uint32_t number);
    /// The message is under way no more, and does not arrive.
    void release(std::uint32_t number);
    [[nodiscard]] SourceRing& ring_of(const Stage& stage);

    // quiet_links.cc: links that pass on what comes in.
    /// The next link is told a rate, or the links up to the next live one are.
    void tell(std::uint32_t number, Share rate);
    /// The same for the end, `left` being when it is through here. On the next `shared` links a
    /// packet of another message is right before its last one.
    void tell_end(std::uint32_t number, Tail left, std::size_t shared = 0);
    void expect(std::uint32_t number, Forecast::Change change);
    void look_at_forecast(std::uint32_t link);
    /// Throws FoldBroken where a link of the fold cannot be shared out.
    void keep_fold(const Stage& stage) const;
    /// Brings a quiet link up to the present.
    void pass(Port& port, std::uint32_t link);
    /// How much may come in without the link having to be shared out.
    [[nodiscard]] Work room(const Port& port) const;
    /// Looks when the link will have to be shared out, for what comes from `from` on.
    void watch(std::uint32_t link, Time from = Time());
    void wake(std::uint32_t link);
    void wake_stage(std::uint32_t number, const std::vector<Forecast::Change>& changes,
                    std::size_t begin, std::size_t end);
    void take_back_beyond(std::uint32_t number);
    /// An order of messages at a link that their content gives.
    [[nodiscard]] bool comes_before(std::uint32_t a, std::uint32_t b) const;
    /// When the last packet but one was through at the latest, where the last one is at `last`.
    [[nodiscard]] Tail left_at(const Stage& stage, Share share, Time last);

    /// Brings a link up to the present.
    void advance(Port& port, std::uint32_t link);
    /// For how long of the last `span` the queues were long enough for marks: between two changes
    /// they grow or shrink evenly.
    static void measure_marks(Port& port, Time span);
    [[nodiscard]] static Work backlog(const Port& port);
    /// The link shares its time again in this instant.
    void touch(std::uint32_t link);
    [[nodiscard]] std::uint32_t queue_of(const Stage& stage);
    /// Something comes in to the queue of the message.
    [[nodiscard]] InputQueue& active_queue_of(const Stage& stage);
    /// What comes in and leaves by each buffer.
    void measure_feeds(Port& port);
    void tell_buffer(const Port& port, Feed& feed, bool waiting);
    void receive(const Forecast::Change& change);
    void handle_due(std::uint32_t link);
    void end_arrivals(std::uint32_t link);
    void take_turns(std::uint32_t link);
    /// The first packet of a message starts.
    void begin(std::uint32_t number);
    void end_queued(std::uint32_t link);
    /// The end of a message leaves a link, and lets others send. `shared`: as in tell_end().
    void leave(std::uint32_t number, std::size_t shared);
    /// The message takes no more of the link's time.
    void retire(std::uint32_t number);
    void leave_source(Flow& flow);
    // turns.cc: when last packets leave.
    /// Port::ahead, last_begins and ring_ahead, of inputs that take turns.
    void measure_turns(Port& port);
    void add_turn(const Port& port, std::uint32_t q);
    void add_ring_turn(const Port& port, std::size_t r);
    /// `packet`: how soon its packet has left, in turn.
    void take_turn(Port& port, const Turn& turn, Time packet);
    [[nodiscard]] Time packet_of(const Stage& stage) const;
    /// Throws FoldBroken where a tie between inputs decides: it need not be decided alike at the
    /// links for which one stands.
    void keep_fold_of_order(bool tie) const;
    /// Stage::lead of a message, all of which has come to the queue now, as of those of `ends`.
    void measure_lead(std::uint32_t number, const InputQueue& queue,
                      const std::vector<std::uint32_t>& ends);
    /// The same of messages of one packet, which begin to wait in a queue now.
    void order_wholes(const std::vector<std::uint32_t>& numbers);
    [[nodiscard]] Time lead_of(const Port& port, std::uint32_t q, std::uint32_t number) const;
    /// Over how many more links another one of the messages that wait for a link goes, too.
    [[nodiscard]] std::size_t shared_hops(std::uint32_t number);
    /// Stage::shared of the messages of a queue that leave it now.
    void share_last_hops(const Port& port, std::uint32_t q);
    [[nodiscard]] std::size_t shared_hops_of_fold(std::uint32_t a, std::uint32_t b);
    // acknowledgements.cc: what they take of the links back.
    [[nodiscard]] const Answers& answers_of(const Flow& flow);
    /// From `at` on, the last link gives a message `rate`: packets that leave it are answered.
    void tell_answers(const Stage& last, Share rate, Time at);
    /// What is left of a link for data.
    [[nodiscard]] Share capacity(Port& port) const;
    void deliver(std::uint32_t number);
    void give_back(std::uint32_t number);

    /// The links that have been touched share their time. In steps, each over all of them, so that
    /// what one does in a step does not depend on whether another has done it before.
    void share_out();
    /// What waits and starts in this instant is known.
    void prepare(std::uint32_t link);
    /// The claims on the link, with their shares.
    void claim(std::uint32_t link);
    void give(std::uint32_t link);
    /// Nothing is left to share.
    void fall_quiet(std::uint32_t link);
    void share_queues(Port& port);
    /// Of a link to an NPU: messages of several NPUs that end there come in faster than it carries
    /// them, or have, and the queue that this left is not yet gone.
    [[nodiscard]] bool is_incast(const Port& port) const;
    /// What has come in of messages of which no more comes waits with the rest of the queue.
    void queue_closing(Port& port, InputQueue& queue);
    void share_rings(Port& port);
    /// Returns whether messages get less than they would.
    bool keep_budget(std::uint32_t link, std::uint32_t buffer);
    void plan_next(std::uint32_t link);
    /// What the link gives a message now. Returns whether the next links have been told.
    bool announce(std::uint32_t number, Share out);
    [[nodiscard]] static bool is_news(const Stage& stage);
    [[nodiscard]] bool waits_behind(std::uint32_t number) const;
    void check_buffer(std::uint32_t number);
    /// Returns when it may tell the link of a change; Time::max(): it has, or there is none.
    Time set_budget(std::uint32_t number);
    /// The windows of the queue pairs keep what waits behind a link from filling the buffer.
    [[nodiscard]] bool windows_fit(std::uint32_t number) const;
    [[nodiscard]] Tail tail_at_next(const Stage& from, const Stage& to, Tail left);

    std::size_t links_;                                    ///< without those of ports for injection
    std::unique_ptr<topology::NetworkDescription> split_;  ///< with such ports; null: none
    const topology::NetworkDescription& description_;
    engine::EventQueue& queue_;
    const LinkFold* fold_;
    LinkSpeeds speeds_;
    RouteTable routes_;
    std::unique_ptr<EpochRoutes> epochs_;  ///< null: no link is ever down
    std::size_t epoch_ = 0;
    bool epoch_awaited_ = false;
    std::size_t in_flight_ = 0;     ///< flows
    std::uint32_t most_flows_ = 0;  ///< at one time, so far
    PathTable paths_;
    std::uint32_t channels_;  ///< of all traffic classes
    bool queue_pairs_;        ///< messages of one pair are sent one after the other
    std::vector<Port> ports_;
    std::vector<Buffer> buffers_;  ///< by link and channel
    /// By link and channel: how much of the link messages may get, in sum, that queue behind it.
    std::vector<Share> budgets_;
    std::vector<Answers> answers_;  ///< by route
    Pool<Flow> flows_;
    std::vector<Stage> stages_;
    std::vector<std::vector<std::uint32_t>> free_stages_;  ///< by number of hops
    Pool<Whole> wholes_;
    Pool<BudgetChange> budget_changes_;
    Pool<Resent> resent_;
    std::vector<std::uint32_t> touched_;  ///< links that will share their time in this instant
    std::vector<std::uint32_t> sharing_;  ///< those that do now
    std::vector<std::vector<Claim>> claims_of_;   ///< of those
    std::vector<std::uint32_t> changed_buffers_;  ///< behind which they have changed rates
    std::uint64_t next_round_ = 0;                ///< of what comes from the event that is handled
    std::vector<Claim> claims_;                   ///< queues, then rings
    std::vector<InputQueue::Part> parts_;
    std::vector<Turn> turns_;
    /// With a fold, of messages that have met.
    std::map<std::pair<LinkFold::Place, LinkFold::Place>, std::size_t> shared_hops_;
    Sharer sharer_;
    ClassSharer class_sharer_;
    std::uint64_t deliveries_ = 0;  ///< planned
    UnionTime held_;                ///< Port::held
    UnionTime crowded_;             ///< Port::crowded
};

}  // namespace npunet::analytical
