// What the two sides of the comparison hand over. Includes neither side's header.
#pragma once

#include <map>
#include <string>

namespace cuda_abi {

/// Name -> value of an enumerator, size of a type in bytes, or shape of a function: for
/// each parameter and the result its class and size ("p8" pointer, "i4" number).
struct Facts {
  std::map<std::string, long long> enumerators;
  std::map<std::string, size_t> sizes;
  std::map<std::string, std::string> functions;
};

Facts our_facts();
Facts nvidia_facts();

}  // namespace cuda_abi
