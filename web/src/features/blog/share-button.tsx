'use client'

import button from '@/components/button.module.css'
import { useHydrated } from '@/lib/use-hydrated'
import { share } from './share'

interface ShareButtonProps {
  title: string
  excerpt: string
}

/** Shares the page it is on. Hidden as long as no script can do so. */
export function ShareButton({ title, excerpt }: ShareButtonProps) {
  const hydrated = useHydrated()
  return (
    <button
      type="button"
      hidden={!hydrated}
      className={button.secondary}
      data-event="share_article"
      onClick={() => void share({ title, text: excerpt, url: window.location.href })}
    >
      Share
    </button>
  )
}
