import { Button, Flex, Text } from '@chakra-ui/react'

interface PaginationProps {
  page: number
  totalPages: number
  onPage: (page: number) => void
}

/** 'Previous', 'Page X of Y' and 'Next'; nothing when all is on one page. */
export function Pagination({ page, totalPages, onPage }: PaginationProps) {
  if (totalPages <= 1) return null
  return (
    <Flex as="nav" aria-label="Pages" align="center" justify="center" gap="5">
      <Button variant="outline" size="sm" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Text fontSize="sm" color="muted" fontVariantNumeric="tabular-nums">
        Page {page} of {totalPages}
      </Text>
      <Button
        variant="outline"
        size="sm"
        disabled={page >= totalPages}
        onClick={() => onPage(page + 1)}
      >
        Next
      </Button>
    </Flex>
  )
}
