import { Tabs } from '@chakra-ui/react'
import { useEffect, useRef, useState, type ComponentType } from 'react'
import { useUrlParams } from './use-url-params'

export interface LinkedTab {
  value: string
  label: string
  View: ComponentType
}

interface LinkedTabsProps {
  /** The query parameter that names the tab; the first tab needs none. */
  param: string
  /** What the row of tabs is called. */
  label: string
  tabs: readonly LinkedTab[]
  /** The parameters of the tabs around these: all others belong to a view, and go with it. */
  within?: readonly string[]
  variant?: 'line' | 'subtle'
}

/**
 * Tabs whose choice stands in the address, so that it can be linked to and survives a reload; going
 * back leaves the page. A single tab is no choice: its view stands alone.
 */
export function LinkedTabs(props: LinkedTabsProps) {
  const { param, label, tabs, within = [], variant = 'line' } = props
  const { params, change } = useUrlParams()
  const first = tabs[0]?.value ?? ''
  const { chosen, choose } = useChosen(params.get(param))
  const value = tabs.some((tab) => tab.value === chosen) ? (chosen as string) : first

  const list = useShownTab(value)

  const [only, ...others] = tabs
  if (only && others.length === 0) return <only.View />
  return (
    <Tabs.Root
      variant={variant}
      value={value}
      onValueChange={({ value: next }) => {
        choose(next)
        change({ [param]: next === first ? '' : next }, { keep: within })
      }}
      lazyMount
      unmountOnExit
    >
      <Tabs.List ref={list} aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Trigger key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map(({ value: name, View }) => (
        <Tabs.Content key={name} value={name}>
          <View />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

/** The tab of the address, or one that was chosen since, which the address shows a moment later. */
function useChosen(asked: string | null) {
  const [chosen, choose] = useState(asked)
  const [seen, see] = useState(asked)
  if (seen !== asked) {
    see(asked)
    choose(asked)
  }
  return { chosen, choose }
}

/** How much of the next tab is to be seen beside the chosen one, in pixels. */
const PEEK = 32

/** Where the row is too long for the window, moves it so that the chosen tab is seen. */
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
    // Called at once, and again when a phone is turned.
    const watch = new ResizeObserver(show)
    watch.observe(row)
    return () => watch.disconnect()
  }, [value])
  return list
}
