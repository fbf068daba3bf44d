// The macros that turn a list of types into parameters and arguments:
//   PARAMETERS(int, float*) -> int a1, float* a2        ARGUMENTS(int, float*) -> a1,
//   a2
#pragma once

#define LIST_COUNT(...) \
  LIST_COUNT_(__VA_ARGS__ __VA_OPT__(, ) 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define LIST_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count
#define LIST_JOIN(name, count) LIST_JOIN_(name, count)
#define LIST_JOIN_(name, count) name##count

#define PARAMETERS(...) LIST_JOIN(PARAMETERS_, LIST_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PARAMETERS_0()
#define PARAMETERS_1(A) A a1
#define PARAMETERS_2(A, B) PARAMETERS_1(A), B a2
#define PARAMETERS_3(A, B, C) PARAMETERS_2(A, B), C a3
#define PARAMETERS_4(A, B, C, D) PARAMETERS_3(A, B, C), D a4
#define PARAMETERS_5(A, B, C, D, E) PARAMETERS_4(A, B, C, D), E a5
#define PARAMETERS_6(A, B, C, D, E, F) PARAMETERS_5(A, B, C, D, E), F a6
#define PARAMETERS_7(A, B, C, D, E, F, G) PARAMETERS_6(A, B, C, D, E, F), G a7
#define PARAMETERS_8(A, B, C, D, E, F, G, H) PARAMETERS_7(A, B, C, D, E, F, G), H a8
#define PARAMETERS_9(A, B, C, D, E, F, G, H, I) \
  PARAMETERS_8(A, B, C, D, E, F, G, H), I a9
#define PARAMETERS_10(A, B, C, D, E, F, G, H, I, J) \
  PARAMETERS_9(A, B, C, D, E, F, G, H, I), J a10
#define PARAMETERS_11(A, B, C, D, E, F, G, H, I, J, K) \
  PARAMETERS_10(A, B, C, D, E, F, G, H, I, J), K a11
#define PARAMETERS_12(A, B, C, D, E, F, G, H, I, J, K, L) \
  PARAMETERS_11(A, B, C, D, E, F, G, H, I, J, K), L a12

#define ARGUMENTS(...) LIST_JOIN(ARGUMENTS_, LIST_COUNT(__VA_ARGS__))
#define ARGUMENTS_0
#define ARGUMENTS_1 a1
#define ARGUMENTS_2 ARGUMENTS_1, a2
#define ARGUMENTS_3 ARGUMENTS_2, a3
#define ARGUMENTS_4 ARGUMENTS_3, a4
#define ARGUMENTS_5 ARGUMENTS_4, a5
#define ARGUMENTS_6 ARGUMENTS_5, a6
#define ARGUMENTS_7 ARGUMENTS_6, a7
#define ARGUMENTS_8 ARGUMENTS_7, a8
#define ARGUMENTS_9 ARGUMENTS_8, a9
#define ARGUMENTS_10 ARGUMENTS_9, a10
#define ARGUMENTS_11 ARGUMENTS_10, a11
#define ARGUMENTS_12 ARGUMENTS_11, a12
