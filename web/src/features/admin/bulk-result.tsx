import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { useEffect, useRef } from 'react'

/** What became of one of the things that were changed at once. */
interface BulkLine {
  id: string
  name: string
  ok: boolean
  /** What it is now, or why it could not be changed. */
  text: string
}

interface BulkResultProps {
  /** How many of how many were changed, and to what. */
  title: string
  /** What the lines are, such as 'Each ticket'. */
  label: string
  lines: readonly BulkLine[]
  onDismiss: () => void
}

/** What became of each part of a bulk change; it stays until it is dismissed. */
export function BulkResult({ title, label, lines, onDismiss }: BulkResultProps) {
  const panel = useRef<HTMLDivElement>(null)
  const failed = lines.some(({ ok }) => !ok)

  // The button that was pressed has left with the selection.
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus()
  }, [])

  return (
    <Box
      ref={panel}
      role="status"
      aria-label="Result"
      tabIndex={-1}
      px="4"
      py="3"
      bg="raised"
      border="1px solid {colors.line}"
      borderInlineStart="3px solid {colors.positive}"
      borderRadius="sm"
      fontSize="sm"
      {...(failed && { borderInlineStartColor: 'danger' })}
    >
      <Flex align="center" justify="space-between" gap="3">
        <Text fontWeight={600}>{title}</Text>
        <Button size="sm" variant="ghost" onClick={onDismiss}>
          Dismiss
        </Button>
      </Flex>
      <chakra.ul role="list" maxH="12rem" overflowY="auto" tabIndex={0} aria-label={label}>
        {lines.map(({ id, name, ok, text }) => (
          <chakra.li key={id} py="1" color={ok ? 'muted' : 'danger'} overflowWrap="anywhere">
            <chakra.span fontWeight={600}>{name}</chakra.span> {text}
          </chakra.li>
        ))}
      </chakra.ul>
    </Box>
  )
}
