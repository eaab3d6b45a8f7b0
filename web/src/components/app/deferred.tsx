'use client'

import { type ReactNode, useDeferredValue } from 'react'

interface DeferredProps {
  /** Shown meanwhile, as high as the children. */
  fallback: ReactNode
  children: ReactNode
}

/**
 * Renders its children after everything around them, in short tasks (a transition): what is below the fold must not
 * delay what is above, nor the person's next key.
 */
export function Deferred({ fallback, children }: DeferredProps) {
  return useDeferredValue(true, false) ? children : fallback
}
