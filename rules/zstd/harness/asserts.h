/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/* Included before all where assertions are wanted. */
#define DEBUGLEVEL 1
