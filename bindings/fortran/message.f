C     Writes N characters, given by their codes, as a line on unit LUN.
C     In Fortran because C cannot write on a unit that Fortran opened.
C     A unit that cannot be written is left alone.
      SUBROUTINE DFLMSG(LUN,N,ICODES)
      IMPLICIT NONE
      INTEGER LUN,N,ICODES(N),I
      CHARACTER*512 LINE
      LINE=' '
      DO 10 I=1,MIN(N,512)
        LINE(I:I)=CHAR(ICODES(I))
   10 CONTINUE
      WRITE(LUN,'(A)',ERR=20) LINE(1:MAX(1,MIN(N,512)))
   20 RETURN
      END
