import { type ReactNode, useRef } from 'react'
import { Button } from '@/components/button'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import { Checkbox } from './checkbox'
import styles from './selection-head.module.css'
import type { Bulk } from './use-bulk'
import type { Selection } from './use-selection'

interface SelectionHeadProps<Item extends { id: string }> {
  selection: Selection<Item>
  /** The checkbox's label, such as 'Select all tickets on this page'; and whether there is anything to select. */
  allLabel: string
  selectable: boolean
  /** The bulk change in progress, and how to stop it. */
  bulk: Bulk
  /** How many items there are; shown while none is selected. */
  count: ReactNode
  /** The accessible name of the bulk actions, and the actions. */
  actionsLabel: string
  actions: ReactNode
  /** Shown at the end while nothing is selected or changed. */
  children?: ReactNode
  /** Whether it reaches into the margin, as the rows of a table do. */
  outdent?: boolean
}

/**
 * The head of a list: the number of items, or the bulk actions while some are selected or changed: another filter lets
 * the selection go, and a change goes on. It is sticky, and its height never changes.
 */
export function SelectionHead<Item extends { id: string }>(props: SelectionHeadProps<Item>) {
  const { selection, allLabel, selectable, bulk, count, children, outdent } = props
  const chosen = selection.selected.length
  return (
    <div tabIndex={-1} data-head className={`${styles.head} ${outdent ? styles.outdent : ''}`}>
      <Checkbox
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
      {chosen === 0 && !bulk.progress ? children : <Actions {...props} />}
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
