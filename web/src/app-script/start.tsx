import { options } from 'preact'
import type { ComponentType, ReactNode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { PageBody } from '@/components/page-body'
import { whenQuiet } from '@/lib/when-quiet'
import { whenUsed } from '@/lib/when-used'
import { ErrorBoundary } from './error-boundary'

type Layout = ComponentType<{ children: ReactNode }>

/**
 * Has effects run right after the rendering. By itself Preact has them wait for a frame, in which a key
 * that is pressed after the one that opens a menu is lost, and Chakra looks for elements that effects are
 * still to add. Until the page is used, or what this returns is called, each has a task of its own, as it
 * keeps the thread free.
 */
function hurryEffects(): () => void {
  let settled = false
  const settle = () => void (settled = true)
  whenUsed(settle)
  options.requestAnimationFrame = (flush) => (settled ? queueMicrotask(flush) : setTimeout(flush))
  return settle
}

/** Fetches what the page may come to show, which its markup names, and runs none of it. */
function fetchLater(): void {
  const later = document.querySelector<HTMLTemplateElement>('template[data-later]')
  if (later) document.head.append(later.content)
}

/** Brings an app page to life: `Page` in its `layouts`, from the outermost to its own. */
export function start(Page: ComponentType, layouts: readonly Layout[]): void {
  const settle = hurryEffects()
  whenQuiet(() => {
    settle()
    fetchLater()
  })
  const page = layouts.reduceRight<ReactNode>((inner, Around) => <Around>{inner}</Around>, <Page />)
  const body = (
    <PageBody>
      <ErrorBoundary>{page}</ErrorBoundary>
    </PageBody>
  )
  // The scripts have just run: the page is a task of its own.
  setTimeout(() => hydrateRoot(document.body, body))
}
