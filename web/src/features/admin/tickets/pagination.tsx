import { Flex, Text } from '@chakra-ui/react'
import { Button } from '@/components/button'

interface PaginationProps {
  page: number
  totalPages: number
  onPage: (page: number) => void
}

/**
 * 'Previous', 'Page X of Y' and 'Next'; nothing when there is one page. On the first and last page the useless button
 * only ignores clicks: if it were disabled, it would lose the focus.
 */
export function Pagination({ page, totalPages, onPage }: PaginationProps) {
  if (totalPages <= 1) return null
  return (
    <Flex as="nav" aria-label="Pages" align="center" justify="center" wrap="wrap" gap="5">
      <Button
        variant="secondary"
        size="dense"
        aria-disabled={page <= 1}
        data-event="previous_page"
        onClick={() => onPage(page - 1)}
      >
        Previous
      </Button>
      <Text fontSize="sm" color="muted" fontVariantNumeric="tabular-nums">
        Page {page} of {totalPages}
      </Text>
      <Button
        variant="secondary"
        size="dense"
        aria-disabled={page >= totalPages}
        data-event="next_page"
        onClick={() => onPage(page + 1)}
      >
        Next
      </Button>
    </Flex>
  )
}
