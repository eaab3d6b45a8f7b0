import { type ReactNode, useRef } from 'react'
import { Button } from '@/components/button'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import { Check } from './check'
import styles from './selection-head.module.css'
import type { Bulk } from './use-bulk'
import type { Selection } from './use-selection'

interface SelectionHeadProps<Item extends { id: string }> {
  selection: Selection<Item>
  /** What the box selects, such as 'Select all tickets on this page'; whether there is anything. */
  allLabel: string
  selectable: boolean
  /** A change of the selected that is under way, and how to stop it. */
  bulk: Bulk
  /** How many there are; said while nothing is selected. */
  count: ReactNode
  /** What can be done with the selected, under the name of the group. */
  actionsLabel: string
  actions: ReactNode
  /** What stands at the end while nothing is selected. */
  children: ReactNode
  /** Whether it reaches into the margin, as the rows of a table do. */
  outdent?: boolean
}

/**
 * The head of a list: how many there are, or what to do with those that are selected. It stays in
 * sight and never changes its height.
 */
export function SelectionHead<Item extends { id: string }>(props: SelectionHeadProps<Item>) {
  const { selection, allLabel, selectable, bulk, count, children, outdent } = props
  const chosen = selection.selected.length
  return (
    <div tabIndex={-1} data-head className={`${styles.head} ${outdent ? styles.outdent : ''}`}>
      <Check
        aria-label={allLabel}
        checked={selection.all}
        disabled={!selectable}
        aria-disabled={bulk.progress !== null || undefined}
        ref={(element: HTMLInputElement | null) => {
          if (element) element.indeterminate = chosen > 0 && !selection.all
        }}
        onChange={(event) => selection.toggleAll(event.target.checked)}
      />
      <p role="status" className={styles.count}>
        {bulk.progress?.text ?? (chosen > 0 ? `${chosen} selected` : count)}
      </p>
      {chosen === 0 ? children : <Actions {...props} />}
    </div>
  )
}

function Actions<Item extends { id: string }>(props: SelectionHeadProps<Item>) {
  const { selection, bulk, actionsLabel, actions } = props
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('[data-head]'))
  return (
    <div ref={part} role="group" aria-label={actionsLabel} className={styles.actions}>
      {actions}
      {bulk.progress?.stoppable ? (
        <Button
          variant="ghost"
          size="dense"
          data-event="stop_bulk"
          pending={bulk.progress.stopping}
          onClick={bulk.stop}
        >
          {bulk.progress.stopping ? 'Stopping...' : 'Stop'}
        </Button>
      ) : (
        <Button
          variant="ghost"
          size="dense"
          aria-disabled={bulk.progress !== null}
          data-event="clear_selection"
          onClick={selection.clear}
        >
          Clear
        </Button>
      )}
    </div>
  )
}
