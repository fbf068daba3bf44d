// The capture of streams into graphs: which streams take part, what comes next in each,
// and which calls are not allowed meanwhile.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "libcuda/graphs/graph.h"

namespace minitorch::libcuda {

struct Capture {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t thread = 0;  // serial of the one that began it
  std::shared_ptr<Graph> graph;
  bool ours = true;  // the graph was made by the capture, not given by the client
  std::shared_ptr<Context> context;
  std::shared_ptr<StreamQueue> origin;
  bool invalid = false, ended = false;
  /// For each stream that takes part: what its next node depends on.
  std::map<std::shared_ptr<StreamQueue>, std::vector<Node*>> streams;
  std::vector<CUgraphNode> told;  // what cuStreamGetCaptureInfo pointed to last
};

/// Where in a capture an event was recorded.
struct CapturedPlace {
  std::shared_ptr<Capture> capture;
  std::vector<Node*> nodes;
};

/// All of these hold graph_mutex() while they look; their callers, while they go on.

/// The capture that the stream takes part in, or null. Fails for the legacy stream
/// while a stream that waits for it is being captured.
std::shared_ptr<Capture> capture_of(const std::shared_ptr<Stream>& stream);
/// The same of a call that only asks: the capture goes on.
std::shared_ptr<Capture> look_for_capture(const std::shared_ptr<Stream>& stream);
/// True when the work became a node of a capture instead of being queued.
bool capture_instead(const std::shared_ptr<Stream>& stream, const NodeWork& work);
bool capture_instead(const std::shared_ptr<Stream>& stream, const Work& work);
/// Fails, and ends the capture's hopes, when the stream is being captured.
void require_no_capture(const std::shared_ptr<Stream>& stream, const char* what);
/// The same for calls that may wait for the device, in any thread that cares.
void require_no_capture_anywhere(const char* what);

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> graph, std::vector<Node*> after);
/// The finished graph.
std::shared_ptr<Graph> end_capture(const std::shared_ptr<Stream>& stream);
/// The stream waits for an event of a capture, and so joins it.
void join_capture(const std::shared_ptr<Stream>& stream, const CapturedPlace& place);
/// A stream is destroyed: the capture that began in it ends without a graph.
void leave_capture(const std::shared_ptr<Stream>& stream);
/// A context is destroyed, and with it every capture of its streams.
void end_captures(const std::shared_ptr<Context>& context);

/// Queues the work, or adds it to the graph into which the stream is being captured.
void enqueue(const std::shared_ptr<Stream>& stream, const Work& work);

}  // namespace minitorch::libcuda
