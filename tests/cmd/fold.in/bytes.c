/* ÿþ [31m â€® */ #else
/* ÿþ  */ #endif
