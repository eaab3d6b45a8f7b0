import { type ComponentType, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import styles from './linked-tabs.module.css'
import { useUrlParams } from './use-url-params'

export interface LinkedTab {
  value: string
  label: string
  View: ComponentType
}

interface LinkedTabsProps {
  /** The query parameter that holds the chosen tab; absent for the first one. */
  param: string
  /** The accessible name of the tab list. */
  label: string
  tabs: readonly LinkedTab[]
  /** The parameters to keep on a change of tab, those of outer tabs; all others belong to a view and are removed. */
  within?: readonly string[]
  variant?: 'line' | 'subtle'
}

/**
 * Tabs with automatic activation (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/) whose selection is in the address,
 * so that it can be linked to and survives a reload. It adds no history entries. A single tab shows only its view.
 */
export function LinkedTabs(props: LinkedTabsProps) {
  const { param, label, tabs, within = [], variant = 'line' } = props
  const { params, change } = useUrlParams()
  const first = tabs[0]?.value ?? ''
  const { chosen, choose } = useChosen(params.get(param))
  const value = tabs.some((tab) => tab.value === chosen) ? (chosen as string) : first

  const list = useShownTab(value)

  const id = useId()
  const pick = (next: string) => {
    if (next === value) return
    choose(next)
    change({ [param]: next === first ? '' : next }, { keep: within })
  }
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.findIndex((tab) => tab.value === value)
    const to = leadsTo(event, at, tabs.length)
    const next = to === null ? undefined : tabs[to]
    if (!next) return
    event.preventDefault()
    pick(next.value)
    document.getElementById(`${id}-${next.value}`)?.focus()
  }

  const [only, ...others] = tabs
  if (only && others.length === 0)
    return (
      <PartBoundary>
        <only.View />
      </PartBoundary>
    )
  const View = tabs.find((tab) => tab.value === value)?.View
  return (
    <div>
      <div ref={list} role="tablist" aria-label={label} className={styles[variant]}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={tab.value === value ? `${id}-view` : undefined}
            tabIndex={tab.value === value ? 0 : -1}
            className={styles.tab}
            data-event={`tab_${tab.value}`}
            onClick={() => pick(tab.value)}
            onKeyDown={move}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-view`}
        aria-labelledby={`${id}-${value}`}
        tabIndex={0}
        className={styles.view}
      >
        {View && (
          <PartBoundary key={value}>
            <View />
          </PartBoundary>
        )}
      </div>
    </div>
  )
}

/** The index of the tab that a key moves to from the one `at`; null for any other key. */
function leadsTo(event: KeyboardEvent, at: number, count: number): number | null {
  // Such as Alt and the left arrow, the browser's 'back'.
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null
  switch (event.key) {
    case 'ArrowRight':
      return (at + 1) % count
    case 'ArrowLeft':
      return (at - 1 + count) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** The selected tab: the address's, or a newer one that the address does not have yet. */
function useChosen(asked: string | null) {
  const [chosen, choose] = useState(asked)
  const [seen, see] = useState(asked)
  if (seen !== asked) {
    see(asked)
    choose(asked)
  }
  return { chosen, choose }
}

/** How much of the neighbouring tab stays visible beside the selected one, in pixels. */
const PEEK = 32

/** Scrolls the selected tab into view where the row is wider than the window. */
function useShownTab(value: string) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const row = list.current
    const tab = row?.querySelector<HTMLElement>('[aria-selected=true]')
    if (!row || !tab) return
    const show = () => {
      const [seen, wanted] = [row.getBoundingClientRect(), tab.getBoundingClientRect()]
      if (wanted.right > seen.right) row.scrollLeft += wanted.right + PEEK - seen.right
      if (wanted.left < seen.left) row.scrollLeft -= seen.left + PEEK - wanted.left
    }
    // Called immediately, and again when a phone is turned.
    const watch = new ResizeObserver(show)
    watch.observe(row)
    return () => watch.disconnect()
  }, [value])
  return list
}
