import { Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Card } from '@/components/app/card'

interface PanelProps<Part> {
  title: string
  /** Null while the service that counts it is down. */
  part: Part | null
  /** What stands there when there is nothing to draw yet. */
  empty: string
  isEmpty: (part: Part) => boolean
  children: (part: Part) => ReactNode
}

/** A card about one part of the figures. */
export function Panel<Part>({ title, part, empty, isEmpty, children }: PanelProps<Part>) {
  return (
    <Card aria-label={title} minW={0}>
      <Heading as="h2" fontSize="md" fontWeight={600}>
        {title}
      </Heading>
      {part === null ? (
        <Text role="status" mt="3" color="muted">
          These figures are not available right now.
        </Text>
      ) : isEmpty(part) ? (
        <Text mt="3" color="muted">
          {empty}
        </Text>
      ) : (
        children(part)
      )}
    </Card>
  )
}
