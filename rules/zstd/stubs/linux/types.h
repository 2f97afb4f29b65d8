/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: only what an import uses.
 * As in the kernel, 64-bit integers are long long everywhere, and NULL,
 * offsetof and keywords such as fallthrough come along.
 */
#ifndef STUB_LINUX_TYPES_H
#define STUB_LINUX_TYPES_H

#include <linux/compiler_types.h>
#include <linux/stddef.h>

typedef __UINT8_TYPE__ u8;
typedef __INT8_TYPE__ s8;
typedef __UINT16_TYPE__ u16;
typedef __INT16_TYPE__ s16;
typedef __UINT32_TYPE__ u32;
typedef __INT32_TYPE__ s32;
typedef unsigned long long u64;
typedef signed long long s64;

typedef u8 uint8_t;
typedef u16 uint16_t;
typedef u32 uint32_t;
typedef u64 uint64_t;
typedef s8 int8_t;
typedef s16 int16_t;
typedef s32 int32_t;
typedef s64 int64_t;

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned long uintptr_t;
#ifndef STUB_WITHOUT_INTPTR_T
typedef long intptr_t;
#endif

#endif
