// Which card's figures hold for a device or a name.
#pragma once

#include <string>

#include "base/card_profile.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// The profile called `key` ("t4"); throws ValueError that lists the names.
const base::CardProfile& card_named(const std::string& key);

/// The figures of `device`: the emulated card's profile, or what a GPU's driver says of
/// it, with the units of the nearest architecture that has a profile.
base::CardProfile card_of(const Device& device);

}  // namespace minitorch::runtime
