#pragma once

#include "packet/congestion/congestion_parameters.h"

namespace npunet::packet {

/// DCTCP's sender: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, and
/// S. Bensley et al., RFC 8257, sections 3.3 to 3.5.
///
/// Once for each window of data, with the fraction F of its bytes that came marked,
///
///     alpha = (1 - g) alpha + g F
///
/// A marked acknowledgement cuts the window W to W (1 - alpha / 2), once a window of data at most;
/// until what was in flight then is acknowledged, W does not grow. Otherwise n acknowledged bytes
/// make it grow by n in slow start, which ends at the first mark or loss, and by window_ai
/// packets x n / W after that. A loss halves W, once a window of data at most; a timeout sets it to
/// min_window, with slow start up to half of what it was.
class Dctcp : public CongestionControl {
public:
    /// @param choice of DCTCP; outlives this
    /// @param path of the queue pair
    Dctcp(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    void lost(std::int64_t now, bool timeout) override;
    std::int64_t window() const override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    /// @return the estimate of the fraction of marked bytes
    double current_alpha() const { return alpha_; }

private:
    /// Multiplies the window, and leaves slow start. No growth and no other cut until everything
    /// that has been sent is acknowledged.
    /// @param factor below 1
    void cut(double factor);

    /// @param scan of the whole network
    void scan_alpha(engine::StateScan& scan);

    /// Another window of data is in alpha.
    /// @param fraction of its bytes that came marked
    void average(double fraction);

    /// @param bytes newly acknowledged
    void grow(double bytes);

    /// Keeps the window within its bounds.
    void bound();

    CongestionParameters parameters_;  ///< with the path
    double window_;                    ///< W, bytes
    double threshold_;                 ///< slow start ends there, bytes
    double alpha_;                     ///< estimate of the fraction of marked bytes
    std::int64_t averages_ = 0;        ///< windows of data that are in alpha
    std::int64_t marks_ = 0;           ///< acknowledgements with marks
    std::int64_t acknowledged_ = 0;    ///< bytes of this window of data
    std::int64_t marked_ = 0;          ///< of them marked
    std::uint64_t window_end_ = 0;     ///< this window of data ends when it is acknowledged
    std::uint64_t recovery_ = 0;       ///< the window may be cut again when it is acknowledged
    std::uint64_t next_ = 1;           ///< what the receiver expected at the last acknowledgement
    std::uint64_t sent_ = 1;           ///< what was to be sent next at the last acknowledgement
};

}  // namespace npunet::packet
