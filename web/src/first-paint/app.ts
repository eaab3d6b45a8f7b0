import { whenQuiet } from '@/lib/when-quiet'
import { addFonts, hasFonts, loadFonts } from './fonts'
import { allowSkippedTransitions } from './transitions'

/**
 * Runs in the head of app pages, inline (scripts/first-paint.mjs): what they show comes in several
 * steps, which their fonts would hold up.
 */
allowSkippedTransitions()
if (hasFonts()) addFonts(document)
else whenQuiet(() => void loadFonts(document).catch(() => {}))
