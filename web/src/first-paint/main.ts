import { begin } from './begin'

/** Runs in the head of visitors' pages, inline (scripts/first-paint.mjs). */
begin(document)
