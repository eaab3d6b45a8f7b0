import { begin } from './begin'

/** Runs in the head of every page, inline (scripts/first-paint.mjs). */
begin(document)
