import { requestSessionEarly } from '@/features/session/session-request'

/** Runs in the head of app pages, inline (scripts/early-script.mjs). */
requestSessionEarly()
