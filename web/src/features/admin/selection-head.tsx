import { Button, Flex, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Check } from './check'
import { hairline } from './hairline'
import type { Selection } from './use-selection'

interface SelectionHeadProps<Item extends { id: string }> {
  selection: Selection<Item>
  /** What the box selects, such as 'Select all tickets on this page'; whether there is anything. */
  allLabel: string
  selectable: boolean
  /** A change of the selected is under way. */
  busy: boolean
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
  const { selection, allLabel, selectable, busy, count, actionsLabel, actions, children } = props
  // As far in, and as far apart, as the rows below.
  const insets = props.outdent
    ? { mx: '-3', px: '3', columnGap: '4', css: hairline('line-strong') }
    : {
        px: { base: '0', md: '2' },
        columnGap: { base: '2', lg: '5' },
        borderBottom: '1px solid {colors.line-strong}',
      }
  const chosen = selection.selected.length
  return (
    <Flex
      position="sticky"
      top={0}
      zIndex={2}
      wrap="wrap"
      align="center"
      rowGap="2"
      minH="3.5rem"
      {...insets}
      py="2"
      bg="paper"
    >
      <Check
        aria-label={allLabel}
        checked={selection.all}
        disabled={!selectable || busy}
        ref={(element: HTMLInputElement | null) => {
          if (element) element.indeterminate = chosen > 0 && !selection.all
        }}
        onChange={(event) => selection.toggleAll(event.target.checked)}
      />
      <Text role="status" fontSize="sm" color="muted" fontVariantNumeric="tabular-nums" me="auto">
        {chosen > 0 ? `${chosen} selected` : count}
      </Text>
      {chosen === 0 ? (
        children
      ) : (
        <Flex role="group" aria-label={actionsLabel} wrap="wrap" gap="2">
          {actions}
          <Button size="sm" variant="ghost" disabled={busy} onClick={selection.clear}>
            Clear
          </Button>
        </Flex>
      )}
    </Flex>
  )
}
