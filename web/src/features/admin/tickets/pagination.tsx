import { Flex, Text } from '@chakra-ui/react'
import { Button } from '@/components/button'

interface PaginationProps {
  page: number
  totalPages: number
  onPage: (page: number) => void
}

/**
 * 'Previous', 'Page X of Y' and 'Next'; nothing when all is on one page. At an end the button that led there
 * only ignores clicks: disabled it would drop the focus.
 */
export function Pagination({ page, totalPages, onPage }: PaginationProps) {
  if (totalPages <= 1) return null
  return (
    <Flex as="nav" aria-label="Pages" align="center" justify="center" gap="5">
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
