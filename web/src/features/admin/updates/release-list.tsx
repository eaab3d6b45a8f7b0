import { Box } from '@chakra-ui/react'
import { PartBoundary } from '@/components/app/part-boundary'
import type { Release } from '@/lib/api/types'
import { EmptyList } from '../empty-list'
import { ReleaseItem } from './release-item'

interface ReleaseListProps {
  releases: readonly Release[]
  /** Receives what to say about a switch that failed, and null when one is tried. */
  onError: (text: string | null) => void
}

/** The releases as GitHub has them, newest first. */
export function ReleaseList({ releases, onError }: ReleaseListProps) {
  if (releases.length === 0) return <EmptyList>No releases found</EmptyList>
  return (
    <Box as="ul" role="list" aria-label="Releases">
      {releases.map((release) => (
        <PartBoundary key={release.id} resetKey={release} fallback={<BrokenItem />}>
          <ReleaseItem release={release} onError={onError} />
        </PartBoundary>
      ))}
    </Box>
  )
}

function BrokenItem() {
  return (
    <Box as="li" py="5" color="quiet" borderBottom="1px solid {colors.line}">
      This release could not be shown.
    </Box>
  )
}
