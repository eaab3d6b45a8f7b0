import { island } from '../island'
import { WaitlistForm } from './waitlist-form'

/** The waitlist form on visitors' pages. */
export const WaitlistIsland = island('waitlist-form', WaitlistForm)
