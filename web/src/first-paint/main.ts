import { begin } from './begin'
import { allowSkippedTransitions } from './transitions'

/** Runs in the head of visitors' pages, inline (scripts/first-paint.mjs). */
allowSkippedTransitions()
begin(document)
