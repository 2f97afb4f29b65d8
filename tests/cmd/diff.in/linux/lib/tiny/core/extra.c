// SPDX-License-Identifier: MIT
int tiny_extra;
